# SPDX-License-Identifier: MIT
# redlock/redlock_acquire.c: half of an even number refused: the answer is no
s/rdl_votes_count_impossible\(r\) > r->n - rdl_redlock_quorum\(r\) \|\| now_ms >= r->wake_ms/rdl_votes_count_impossible(r) >= rdl_redlock_quorum(r) || now_ms >= r->wake_ms/
