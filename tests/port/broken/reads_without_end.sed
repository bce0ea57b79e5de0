# SPDX-License-Identifier: MIT
# net/net_posix.c: rule 15: it reads as long as bytes arrive
s/i < READS_MAX && /i >= 0 \&\& /
s/^            if \(\(size_t\)n < sizeof bytes\)$/            if (n < 0)/
