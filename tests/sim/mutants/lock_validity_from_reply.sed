# SPDX-License-Identifier: MIT
# lock/lock.c: validity runs from before the send
/^static int px_acquired/,/^}/s/l->until_ms = validity_end\(l\);/l->until_ms = now_ms + l->ttl_ms - rdl_drift_ms(l->ttl_ms);/
