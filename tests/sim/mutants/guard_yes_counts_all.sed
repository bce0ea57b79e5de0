# SPDX-License-Identifier: MIT
# redlock/redlock_count.c: a grant from quarantine is no yes
s/s->vote == RDL_VOTE_GRANTED && s->counts && is_continuous/s->vote == RDL_VOTE_GRANTED \&\& is_continuous/
