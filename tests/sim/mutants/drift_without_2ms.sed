# SPDX-License-Identifier: MIT
# lock/lock_lease.c: R1: 2 ms for rounding at both ends
s/ \+ 2;$/;/
