# SPDX-License-Identifier: MIT
# redlock/redlock.c: an extension runs from before its send
s/^(            )r->until_ms = validity_end\(r\);/\1r->until_ms = now_ms + r->ttl_ms - rdl_drift_ms(r->ttl_ms);/
