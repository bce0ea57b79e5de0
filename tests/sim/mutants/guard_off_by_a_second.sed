# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: uptime is cut to seconds, so there is one more
s/\(\(int64_t\)max_ttl_s \+ 1\)/(int64_t)max_ttl_s/
