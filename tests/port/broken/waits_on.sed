# SPDX-License-Identifier: MIT
# net/net_posix_poll.c: rule 13: poll waits on after until_ms
s/^        if \(ready != 0 \|\| ms == 0\)$/        if (ready != 0)/
