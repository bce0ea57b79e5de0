# SPDX-License-Identifier: MIT
# net/net_timers.c: a silent connection is ended
s/end_ms = stalled_until\(c, now_ms\);/end_ms = UINT64_MAX;/
