# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: R23: nothing refers to servers[] after the lease has ended
s/^        rdl_votes_abandon\(r, r->sent_ms\);/        ;/
