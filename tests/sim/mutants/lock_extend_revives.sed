# SPDX-License-Identifier: MIT
# lock/lock.c: an extension answered after the deadline is lost
/^int rdl_lock_extended/,/^}/s/now_ms >= l->until_ms/now_ms == 0/
