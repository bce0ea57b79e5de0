# SPDX-License-Identifier: MIT
# redlock/redlock.c: R14: released means that no majority holds the key
s/if \(released >= quorum\)/if (released >= (quorum + 1) \/ 2)/
