# SPDX-License-Identifier: MIT
# net/net_posix.c: rule 1: it tells opened while it still connects
s/errno == EINPROGRESS \|\| errno == EINTR\)(.*)$/0)/
s/^    if \(connect\(c->fd, &a.any, len\) == 0\)$/    if (connect(c->fd, \&a.any, len) == 0 || errno == EINPROGRESS)/
