# SPDX-License-Identifier: MIT
# redlock/redlock.c: validity runs from before the first send
/^static int judge_acquire/,/^}/s/r->until_ms = validity_end\(r\);/r->until_ms = now_ms + r->ttl_ms - rdl_drift_ms(r->ttl_ms);/
