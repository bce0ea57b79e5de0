# SPDX-License-Identifier: MIT
# net/net_timers.c: R16: the step that finds a connection stalled does not close it
s/c->retry_ms = now_ms \+ 1;/c->retry_ms = now_ms;/
