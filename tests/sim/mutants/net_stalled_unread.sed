# SPDX-License-Identifier: MIT
# net/net_timers.c: a connection is not ended by the look at which it falls silent
s/c->retry_ms = now_ms \+ 1;/c->retry_ms = now_ms;/
