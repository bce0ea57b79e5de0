# SPDX-License-Identifier: MIT
# redlock/redlock_extend.c: R34: no ttl is above max_ttl_ms
s/if \(ttl_ms > opt->max_ttl_ms\)/if (0)/
