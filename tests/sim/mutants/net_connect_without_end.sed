# SPDX-License-Identifier: MIT
# net/net_timers.c: R22: connecting has a deadline
s/c->timer_ms = now_ms \+ rdl_conn_connect_ms\(c\);/c->timer_ms = now_ms + 1000000;/
