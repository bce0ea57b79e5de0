# SPDX-License-Identifier: MIT
# net/net_timers.c: R22: the connection pauses before it connects again
s/c->timer_ms = now_ms \+ rdl_backoff_ms\(.*/c->timer_ms = now_ms;/
s/c->timer_ms = now_ms \+ \(pause_ms - over_ms\);/c->timer_ms = now_ms;/
