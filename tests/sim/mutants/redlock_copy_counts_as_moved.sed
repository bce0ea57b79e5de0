# SPDX-License-Identifier: MIT
# redlock/redlock.c: R23: a copy of a redlock in use does not count as moved after its release
s/^    r->user = \(uint16_t\)~r->servers->user;/    ;/
