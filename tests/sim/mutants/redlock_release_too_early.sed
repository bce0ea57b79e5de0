# SPDX-License-Identifier: MIT
# redlock/redlock.c: released means that a majority is free of it
s/if \(rdl_votes_let_go\(r\) >= quorum\)/if (rdl_votes_let_go(r) >= (quorum + 1) \/ 2)/
