# SPDX-License-Identifier: MIT
# redlock/redlock_extend.c: R26: a grant from quarantine does not complete an extend
s/return rdl_votes_count_holding\(r\) \+ rdl_votes_count_impossible/return rdl_redlock_count(r, RDL_VOTE_GRANTED) + rdl_votes_count_impossible/
