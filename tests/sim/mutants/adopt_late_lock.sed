# SPDX-License-Identifier: MIT
# lock/lock.c: an answer that comes after the ttl adopts nothing
s/if \(is_adopted && now_ms >= validity_end\(l\)\)/if (0)/
