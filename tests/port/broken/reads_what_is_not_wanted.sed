# SPDX-License-Identifier: MIT
# net/net_posix.c: rule 6: it reads all the time
s/i < READS_MAX && \(rdl_conn_wants\(c\) & RDL_WANT_READ\)/i < READS_MAX \&\& c->fd >= 0/
s/else if \(\(wants & RDL_WANT_READ\) && is_readable\)/else if (c->fd >= 0 \&\& is_readable)/
s/^    if \(wants & RDL_WANT_READ\)$/    if (c->fd >= 0)/
