# SPDX-License-Identifier: MIT
# net/net_timers.c: a silent connection is kept until the keys of its SETs are gone
s/if \(now_ms < end_ms\)/if (end_ms == UINT64_MAX)/
