# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: R13: the release after a SET that was refused with an error is sent once
s/r->action == RDL_ACQUIRE && s->vote == RDL_VOTE_ERROR \? 0 : //
