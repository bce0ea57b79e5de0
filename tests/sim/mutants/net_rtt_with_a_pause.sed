# SPDX-License-Identifier: MIT
# net/net_timers.c: R18: a login step that no operation waited for is no round trip
s/int is_bound = !c->is_awaited;/int is_bound = 0;/
