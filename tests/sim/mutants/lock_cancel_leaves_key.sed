# SPDX-License-Identifier: MIT
# lock/lock.c: cancel releases what was granted
/^void rdl_lock_cancel/,/^}/s/if \(is_owed\)/if (is_owed > 1)/
