# SPDX-License-Identifier: MIT
# redlock/redlock_extend.c: R24: an extension needs a majority
s/if \(rdl_votes_count_yes\(r\) >= quorum\)/if (rdl_votes_count_yes(r) >= (quorum + 1) \/ 2)/
