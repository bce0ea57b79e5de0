# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: R26: max_ttl is rounded up to seconds
s/2000 - over_ms/1000 - over_ms/
