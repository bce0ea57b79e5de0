# SPDX-License-Identifier: MIT
# lock/lock_lease.c: R6: a handle that gets the same bytes or token twice repeats no token
s/^    rdl_copy\(t->bytes, entropy, RDL_ENTROPY_LEN\);/    rdl_zero(t, sizeof *t); rdl_copy(t->bytes, entropy, RDL_ENTROPY_LEN);/
