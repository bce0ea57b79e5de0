# SPDX-License-Identifier: MIT
# lock/lock_hint.c: R32: a client that no longer waits takes no hint
s/^    if \(h->req\.is_queued\)$/    if (0)/
