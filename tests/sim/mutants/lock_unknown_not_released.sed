# SPDX-License-Identifier: MIT
# lock/lock.c: a release stands behind every UNKNOWN
/^int rdl_lock_not_granted/,/^}/s/^        rdl_lock_queue_release\(l\);$/        ;/
