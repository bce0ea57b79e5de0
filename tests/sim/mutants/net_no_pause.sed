# SPDX-License-Identifier: MIT
# net/net_timers.c: a pause before connecting again
s/c->retry_ms = now_ms \+ rdl_backoff_ms\(.*/c->retry_ms = now_ms;/
