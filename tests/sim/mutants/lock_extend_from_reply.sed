# SPDX-License-Identifier: MIT
# lock/lock.c: an extension runs from before its send
/^int rdl_lock_extended/,/^}/s/l->until_ms = validity_end\(l\);/l->until_ms = now_ms + l->ttl_ms - rdl_drift_ms(l->ttl_ms);/
