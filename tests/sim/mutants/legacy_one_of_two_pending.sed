# SPDX-License-Identifier: MIT
# lock/lock.c: of two values that may be there both are owed a release
s/while \(rdl_lock_next\(l\)\);/while (0);/
