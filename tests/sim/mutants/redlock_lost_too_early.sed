# SPDX-License-Identifier: MIT
# redlock/redlock_extend.c: lost means that a majority has it no more
s/if \(gone > r->n - quorum\)/if (gone > 0)/
