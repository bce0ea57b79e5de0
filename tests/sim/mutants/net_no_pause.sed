# SPDX-License-Identifier: MIT
# net/net_timers.c: the connection pauses before it connects again
s/c->retry_ms = now_ms \+ rdl_backoff_ms\(.*/c->retry_ms = now_ms;/
