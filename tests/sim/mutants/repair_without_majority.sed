# SPDX-License-Identifier: MIT
# redlock/redlock_extend.c: R29: no key is restored before a majority confirms
s/^    if \(now_ms >= r->wake_ms \|\| rdl_votes_count\(r, rdl_is_impossible/    rdl_votes_repair(r, now_ms);\n    if (now_ms >= r->wake_ms || rdl_votes_count\(r, rdl_is_impossible/
