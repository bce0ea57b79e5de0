# SPDX-License-Identifier: MIT
# lock/lock.c: R9: a release follows every UNKNOWN
/^int rdl_lock_not_granted/,/^}/s/^        rdl_lock_queue_release\(l\);$/        ;/
