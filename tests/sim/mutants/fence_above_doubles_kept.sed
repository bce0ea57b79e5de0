# SPDX-License-Identifier: MIT
# lock/lock_fenced.c: whose number is none is released
/!RDL_IS_FENCE/,/return/s/rdl_lock_queue_release\(l\);/;/
