# SPDX-License-Identifier: MIT
# net/net_posix_poll.c: rule 14: poll only checks whether it may send
s/^        fds\[i\]\.fd = .*$/        fds[i].fd = (fds[i].events \& POLLOUT) ? conns[i]->fd : -1;/
