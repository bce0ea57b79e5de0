# SPDX-License-Identifier: MIT
# redlock/redlock_extend.c: R8: a minority adopts nothing
s/is_adopting\(r\) && rdl_votes_count\(r, rdl_is_holding\) >= quorum/is_adopting(r) \&\& rdl_votes_count(r, rdl_is_holding) > 0/
