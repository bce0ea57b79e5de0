# SPDX-License-Identifier: MIT
# net/net_timers.c: R18: a login step that spans two operations contains a pause, and is no round trip
s/c->step_is_bound \| \(!c->is_awaited\)/!c->is_awaited/
