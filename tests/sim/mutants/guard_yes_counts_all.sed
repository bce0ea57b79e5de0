# SPDX-License-Identifier: MIT
# redlock/redlock_count.c: R26: a grant from quarantine does not count
s/rdl_is_holding\(r, s\) && is_continuous/s->vote == RDL_VOTE_GRANTED \&\& is_continuous/
