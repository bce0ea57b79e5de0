# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: R26: the quarantine has a length if max_ttl_ms is not set
s/rdl_redlock_max_ttl_ms\(r\)/r->opt->max_ttl_ms/
