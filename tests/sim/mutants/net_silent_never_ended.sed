# SPDX-License-Identifier: MIT
# net/net_upkeep.c: a silent connection is ended
s/end_ms = last_set_ends\(c\);/end_ms = UINT64_MAX;/
