# SPDX-License-Identifier: MIT
# redlock/redlock.c: released means that a majority is free of it
s/if \(rdl_redlock_count\(r, RDL_VOTE_GRANTED\) >= quorum\)/if (rdl_redlock_count(r, RDL_VOTE_GRANTED) >= (quorum + 1) \/ 2)/
