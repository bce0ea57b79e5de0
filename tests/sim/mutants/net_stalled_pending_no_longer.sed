# SPDX-License-Identifier: MIT
# net/net_timers.c: what is owed when a silent connection ends is owed for one ttl more
s/r->until_ms = now_ms \+ r->ttl_ms;/(void)now_ms;/
