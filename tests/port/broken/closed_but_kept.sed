# SPDX-License-Identifier: MIT
# net/net_posix.c: rule 5: it reports the close, but the socket stays open
s/^        close\(c->fd\);.*$/        (void)0;/
