# SPDX-License-Identifier: MIT
# lock/lock.c: who adopts gives back what he held
s/if \(l->until_ms != 0 && !rdl_is_same.*\)$/if (0)/
