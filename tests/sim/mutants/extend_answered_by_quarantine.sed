# SPDX-License-Identifier: MIT
# redlock/redlock_extend.c: R26: a grant from quarantine does not complete an extend
s/return rdl_votes_count\(r, rdl_is_holding\) \+ rdl_votes_count\(r, rdl_is_impossible/return rdl_redlock_count(r, RDL_VOTE_GRANTED) + rdl_votes_count\(r, rdl_is_impossible/
