# SPDX-License-Identifier: MIT
# lock/lock.c: R9: adopting releases the lock that was held before
s/if \(l->until_ms != 0 && !rdl_is_same.*\)$/if (0)/
