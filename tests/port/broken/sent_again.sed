# SPDX-License-Identifier: MIT
# net/net_posix.c: rule 9: what was taken is told one byte short
s/rdl_conn_tx_done\(c, \(size_t\)n\)/rdl_conn_tx_done(c, (size_t)n - (n > 100))/
