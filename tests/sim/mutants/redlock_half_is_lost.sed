# SPDX-License-Identifier: MIT
# redlock/redlock.c: two of four that are another.s are no loss
s/stolen >= quorum\)/stolen > r->n - quorum)/
