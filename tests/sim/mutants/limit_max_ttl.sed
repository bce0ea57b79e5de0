# SPDX-License-Identifier: MIT
# redlock/redlock_extend.c: no ttl above max_ttl
s/if \(ttl_ms > opt->max_ttl_ms\)/if (0)/
