# SPDX-License-Identifier: MIT
# redlock/redlock.c: R14: a lock is not lost if another client has half of N
s/stolen >= quorum\)/stolen > r->n - quorum)/
