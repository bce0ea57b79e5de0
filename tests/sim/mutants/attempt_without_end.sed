# SPDX-License-Identifier: MIT
# lock/lock_lease.c: R22: an attempt has a deadline
/^uint32_t rdl_attempt_ms/,/^}/s/RDL_ATTEMPT_MAX_MS : ms/1000000 : ms * 100/
