# SPDX-License-Identifier: MIT
# redlock/redlock_count.c: R26: a server in quarantine does not count in an extend either
/^int rdl_is_holding/,/^}/s/s->vote == RDL_VOTE_GRANTED && s->counts;/s->vote == RDL_VOTE_GRANTED \&\& (s->counts || r->action == RDL_EXTEND);/
