# SPDX-License-Identifier: MIT
# net/net_stream.c: rule 15: it reads as long as bytes arrive
s/i < READS_MAX && /i >= 0 \&\& /
s/^        if \(n > 0 && \(size_t\)n < s->cap && !is_last\)$/        if (n < 0)/
