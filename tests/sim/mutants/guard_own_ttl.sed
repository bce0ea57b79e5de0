# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: R26: the quarantine covers the longest lease of any client, not this lock's
s/r->opt->max_ttl_ms/r->opt->lease.ttl_ms/g
