# SPDX-License-Identifier: MIT
# lock/lock_lease.c: R1: leases are shorter by the drift
s/^    return part \+ .*/    return part \& 0;/
