# SPDX-License-Identifier: MIT
# net/net_timers.c: R16: a stalled connection is closed in the end
s/end_ms = rdl_queue_stalled_end\(c, now_ms\);/end_ms = UINT64_MAX;/
