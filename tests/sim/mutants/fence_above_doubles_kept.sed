# SPDX-License-Identifier: MIT
# lock/lock_fenced.c: R9: a lock without a valid fencing token is released
/!RDL_IS_FENCE/,/return/s/rdl_lock_queue_release\(l\);/;/
