# SPDX-License-Identifier: MIT
# net/net_upkeep.c: a lease in danger does not wait for the patience of another
s/c->hurry_ms != 0 && c->hurry_ms < patience_of\(c\) \?/0 ?/
