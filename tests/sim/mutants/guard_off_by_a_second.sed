# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: R26: uptime is cut to seconds, so the quarantine adds one
s/\(\(int64_t\)max_ttl_s \+ 1\)/(int64_t)max_ttl_s/
