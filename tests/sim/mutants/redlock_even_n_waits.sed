# SPDX-License-Identifier: MIT
# redlock/redlock_acquire.c: R25: if half of an even N refuses, the result is BUSY at once
s/rdl_votes_count\(r, rdl_is_impossible\) > r->n - rdl_redlock_quorum\(r\) \|\| now_ms >= r->wake_ms/rdl_votes_count(r, rdl_is_impossible) >= rdl_redlock_quorum(r) || now_ms >= r->wake_ms/
