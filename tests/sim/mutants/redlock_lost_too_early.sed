# SPDX-License-Identifier: MIT
# redlock/redlock_extend.c: R14: a lock is lost once a majority cannot hold it any more
s/if \(gone > r->n - quorum\)/if (gone > 0)/
