# SPDX-License-Identifier: MIT
# lock/lock_legacy.c: R35: if two own values are possible, a release tries both
s/    if \(is_other_tried\(l, now_ms\)\)/    if (0)/
