# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: R26: the quarantine covers the longest lease of any client, not this lock's
s/rdl_redlock_max_ttl_ms\(r\)/r->opt->lease.ttl_ms/
