# SPDX-License-Identifier: MIT
# lock/lock_legacy.c: of two values that may be there a release tries both
s/    if \(is_other_next\(l, now_ms\)\)/    if (0)/
