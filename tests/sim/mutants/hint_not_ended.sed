# SPDX-License-Identifier: MIT
# lock/lock_hint.c: who waits no more takes no hint
s/^    if \(h->req\.is_queued\)$/    if (0)/
