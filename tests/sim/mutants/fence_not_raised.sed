# SPDX-License-Identifier: MIT
# redlock/redlock_fence.c: the number is ours when a majority holds it
s/if \(settled\(r, now_ms\) >= rdl_redlock_quorum\(r\)\)/if (settled(r, now_ms) < 99)/
