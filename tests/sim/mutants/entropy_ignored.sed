# SPDX-License-Identifier: MIT
# lock/lock_util.c: tokens of different begins differ
s/^    memcpy\(t->bytes, entropy, RDL_ENTROPY_LEN\);/    memset(t->bytes, entropy[0] \& 1, RDL_ENTROPY_LEN);/
