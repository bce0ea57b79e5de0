# SPDX-License-Identifier: MIT
# net/net_timers.c: R18: a login step that no operation waited for is no round trip
s/c->step_is_bound \| \(!c->is_awaited\)/0/
