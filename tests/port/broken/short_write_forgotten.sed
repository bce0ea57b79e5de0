# SPDX-License-Identifier: MIT
# net/net_posix.c: rule 9: it takes what it tried to send for sent
s/rdl_conn_tx_done\(c, \(size_t\)n\)/rdl_conn_tx_done(c, len)/
