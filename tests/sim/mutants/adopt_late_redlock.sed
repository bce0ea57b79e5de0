# SPDX-License-Identifier: MIT
# redlock/redlock_extend.c: R1: a reply after the ttl adopts nothing
s/if \(now_ms >= rdl_redlock_validity_end\(r\)\)/if (0)/
