# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: R26: max_ttl is rounded up to seconds
s/ \+ \(max_ttl_ms % 1000 != 0\)//
