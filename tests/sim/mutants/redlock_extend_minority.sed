# SPDX-License-Identifier: MIT
# redlock/redlock_extend.c: R24: an extension needs a majority
s/if \(rdl_votes_count\(r, rdl_is_yes\) >= quorum\)/if (rdl_votes_count(r, rdl_is_yes) >= (quorum + 1) \/ 2)/
