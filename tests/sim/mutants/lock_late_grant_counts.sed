# SPDX-License-Identifier: MIT
# lock/lock.c: R1: a grant after the validity reports RDL_EXPIRED
/^int rdl_lock_granted/,/^}/s/if \(now_ms < end_ms\)/if (now_ms > 0)/
