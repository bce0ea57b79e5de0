# SPDX-License-Identifier: MIT
# lock/lock_lease.c: R1: the one percent is rounded up
s/ \+ \(ttl_ms % 100 != 0\)//
