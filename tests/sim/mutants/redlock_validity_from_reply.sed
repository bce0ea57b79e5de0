# SPDX-License-Identifier: MIT
# redlock/redlock_acquire.c: R1: the validity starts before the first send
/^static int granted/,/^}/s/r->until_ms = rdl_redlock_validity_end\(r\);/r->until_ms = now_ms + r->ttl_ms - rdl_drift_ms(r->ttl_ms);/
