# SPDX-License-Identifier: MIT
# lock/lock_lease.c: R6: a fresh token for every attempt
s/^(    while \(--i >= RDL_ENTROPY_LEN && )(.*)$/    while (i < 0 \&\& --i >= 0 \&\& \2/
