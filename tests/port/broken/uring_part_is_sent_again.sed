# SPDX-License-Identifier: MIT
# net/net_uring.c: rule 9: if the socket takes a part of the bytes, it sends all of them again
s/^    int taken = s->sent > 0 .*/    int taken = s->sent == s->out_len ? s->sent : 0;/
