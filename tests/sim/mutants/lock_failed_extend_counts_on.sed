# SPDX-License-Identifier: MIT
# lock/lock.c: an answer ends what is counted from the first extend that failed
/^int rdl_lock_extended/,/^}/s/l->abort_below_ms = 0;//
