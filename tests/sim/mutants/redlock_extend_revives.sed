# SPDX-License-Identifier: MIT
# redlock/redlock_extend.c: R2: an extend answered after the expiry reports the lock lost
s/if \(now_ms >= r->until_ms\)$/if (now_ms == 0)/
