# SPDX-License-Identifier: MIT
# lock/lock.c: R1: a grant that arrives too late is released
/^int rdl_lock_granted/,/^}/s/^    rdl_lock_queue_release\(l\);$/    ;/
