# SPDX-License-Identifier: MIT
# net/net_upkeep.c: a silent connection is ended
s/end_ms = silent_until\(c, now_ms\);/end_ms = UINT64_MAX;/
