# SPDX-License-Identifier: MIT
# lock/lock.c: R2: an extend answered after the expiry reports the lock lost
/^int rdl_lock_extended/,/^}/s/now_ms >= l->until_ms/now_ms == 0/
