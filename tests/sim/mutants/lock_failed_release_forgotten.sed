# SPDX-License-Identifier: MIT
# lock/lock.c: R10: an acquire first sends the release that failed
s/if \(l->until_ms != 0 \|\| is_unreleased\(l\)\)/if (l->until_ms != 0)/
