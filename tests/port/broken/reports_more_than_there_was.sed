# SPDX-License-Identifier: MIT
# net/net_stream.c: rule 7: it reports one byte more than it was given
s/rdl_conn_tx_done\(c, \(size_t\)n\)/rdl_conn_tx_done(c, (size_t)n + 1)/
