# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: votes belong to one operation
/^void rdl_votes_clear/,/^}/s/set_vote\(&r->servers\[i\], RDL_VOTE_NONE, RDL_OK\);/r->servers[i].error = RDL_OK;/
