# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: R7: an error is no grant
/^static enum rdl_vote vote_of/,/^}/s/= RDL_VOTE_ERROR,/= RDL_VOTE_GRANTED,/
