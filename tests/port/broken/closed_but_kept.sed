# SPDX-License-Identifier: MIT
# net/net_posix.c: rule 5: closed is told, and the socket stays open
s/^        close\(c->fd\);.*$/        (void)0;/
