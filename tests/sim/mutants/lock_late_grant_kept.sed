# SPDX-License-Identifier: MIT
# lock/lock.c: a grant that arrives too late is released
/^int rdl_lock_granted/,/^}/s/^    rdl_lock_queue_release\(l\);$/    ;/
