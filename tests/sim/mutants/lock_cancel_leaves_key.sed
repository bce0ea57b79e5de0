# SPDX-License-Identifier: MIT
# lock/lock.c: R9: cancel releases what was granted
/^void rdl_lock_cancel/,/^}/s/if \(needs_release\)/if (needs_release > 1)/
