# SPDX-License-Identifier: MIT
# lock/lock_lease.c: R1: the one percent is rounded up
s/ \+ \(100 \* part != ttl_ms\)//
