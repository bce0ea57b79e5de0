# SPDX-License-Identifier: MIT
# net/net_timers.c: R16: a stalled connection is kept until its SETs' keys have expired
s/if \(now_ms < end_ms\)/if (end_ms == UINT64_MAX)/
