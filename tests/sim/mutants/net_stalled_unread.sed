# SPDX-License-Identifier: MIT
# net/net_timers.c: R16: the step that finds a connection stalled does not close it
s/c->timer_ms = now_ms \+ 1;/c->timer_ms = now_ms;/
