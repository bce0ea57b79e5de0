# SPDX-License-Identifier: MIT
# net/net_posix_poll.c: rule 20: it fills only whole words
s/^    return rdl_posix_random\(buf, len\);$/    return rdl_posix_random(buf, len \& ~(size_t)3);/
