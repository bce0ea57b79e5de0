# SPDX-License-Identifier: MIT
# redlock/redlock_extend.c: a minority adopts nothing
s/is_adopting\(r\) && rdl_votes_having\(r\) >= quorum/is_adopting(r) \&\& rdl_votes_having(r) > 0/
