# SPDX-License-Identifier: MIT
# lock/lock.c: R1: a reply after the ttl adopts nothing
s/if \(is_adopted && now_ms >= end_ms\)/if (0)/
