# SPDX-License-Identifier: MIT
# net/net_timers.c: R22: the connection pauses before it connects again
s/c->retry_ms = now_ms \+ rdl_backoff_ms\(.*/c->retry_ms = now_ms;/
s/c->retry_ms = now_ms \+ \(pause_ms - over_ms\);/c->retry_ms = now_ms;/
