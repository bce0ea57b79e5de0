# SPDX-License-Identifier: MIT
# redlock/redlock_extend.c: nor does it count in an extend
s/^        n \+= r->servers\[i\]\.vote == RDL_VOTE_GRANTED && r->servers\[i\]\.counts;/        n += r->servers[i].vote == RDL_VOTE_GRANTED;/
