# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: R9: a straggler's key is kept while the lease is held
s/^(    s->took_ms = .*)$/\1\n    if (r->action == RDL_ACQUIRE \&\& r->until_ms != 0 \&\& s->vote == RDL_VOTE_GRANTED)\n        (void)rdl_votes_submit(r, s, \&rdl_op_release, NULL, r->keys_end_ms);/
