# SPDX-License-Identifier: MIT
# lock/lock_lease.c: a handle that is given the same bytes twice, or adopted what was made of them, repeats no token
s/^    rdl_copy\(t->bytes, entropy, RDL_ENTROPY_LEN\);/    rdl_zero(t, sizeof *t); rdl_copy(t->bytes, entropy, RDL_ENTROPY_LEN);/
