# SPDX-License-Identifier: MIT
# redlock/redlock_extend.c: an extension answered after the deadline is lost
s/if \(now_ms >= r->until_ms\)$/if (now_ms == 0)/
