# SPDX-License-Identifier: MIT
# redlock/redlock_acquire.c: R22: no operation is always due
s/r->wake_ms = next_to_count\(r\);/r->wake_ms = now_ms;/
