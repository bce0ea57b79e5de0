# SPDX-License-Identifier: MIT
# net/net_posix_poll.c: rule 19: its clock has few bits
s/^    return rdl_posix_now_ms\(\);$/    return rdl_posix_now_ms() \& 0xff;/
