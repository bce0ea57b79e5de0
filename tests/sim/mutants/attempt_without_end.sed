# SPDX-License-Identifier: MIT
# lock/lock_lease.c: R22: an attempt has a deadline
s/ = most_ms \/ 5/ = most_ms * 20/;s/ = RDL_ATTEMPT_MAX_MS/ = 1000000/
