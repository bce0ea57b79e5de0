# SPDX-License-Identifier: MIT
# redlock/redlock.c: released means that a majority is free of it
s/if \(released >= quorum\)/if (released >= (quorum + 1) \/ 2)/
