# SPDX-License-Identifier: MIT
# net/net_uring.c: rule 9: a socket that takes no more bytes now is never tried again
s/queue_wait\(r, s, c->fd, POLLOUT\)/0/
