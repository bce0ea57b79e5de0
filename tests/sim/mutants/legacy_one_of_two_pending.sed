# SPDX-License-Identifier: MIT
# lock/lock.c: R35: if two own values are possible, both releases are pending
s/while \(rdl_lock_take_other\(l\)\);/while (0);/
