# SPDX-License-Identifier: MIT
# lock/lock.c: R1: an extended lease starts before the send
/^int rdl_lock_extended/,/^}/s/l->until_ms = end_ms;/l->until_ms = now_ms + l->ttl_ms - rdl_drift_ms(l->ttl_ms);/
