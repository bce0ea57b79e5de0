# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: nothing refers to servers[] when the lease has ended
s/^        rdl_votes_abandon\(r, r->sent_ms\);/        ;/
