# SPDX-License-Identifier: MIT
# net/net_posix.c: rule 4: the peer's close is not reported
s/^    if \(n <= 0\)$/    if (n == 0)\
        return 0;\
    if (n < 0)/
