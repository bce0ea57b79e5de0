# SPDX-License-Identifier: MIT
# redlock/redlock_count.c: nor does it count in an extend
/^static int has_it/,/^}/s/s->vote == RDL_VOTE_GRANTED && s->counts;/s->vote == RDL_VOTE_GRANTED \&\& (s->counts || r->action == RDL_EXTEND);/
