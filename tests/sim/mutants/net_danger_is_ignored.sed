# SPDX-License-Identifier: MIT
# net/net_timers.c: R17: a lease in danger does not wait for another lock's longer timeout
s/c->hurry_ms != 0 && c->hurry_ms < timeout_of\(c\) \?/0 ?/
