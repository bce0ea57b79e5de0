# SPDX-License-Identifier: MIT
# lock/lock.c: a grant behind the validity is expired
/^int rdl_lock_granted/,/^}/s/if \(now_ms < validity_end\(l\)\)/if (now_ms > 0)/
