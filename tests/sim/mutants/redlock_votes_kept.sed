# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: R7: votes belong to one operation
/^void rdl_votes_clear/,/^}/s/set_vote\(s, RDL_VOTE_NONE, RDL_OK\);/s->error = RDL_OK;/
