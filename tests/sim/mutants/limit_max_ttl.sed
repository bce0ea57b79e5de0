# SPDX-License-Identifier: MIT
# redlock/redlock_extend.c: R34: no ttl is above max_ttl_ms
s/if \(ttl_ms > rdl_redlock_max_ttl_ms\(r\)\)/if (0)/
