# SPDX-License-Identifier: MIT
# net/net_stream.c: rule 9: it reports all bytes as sent, whatever the transport took
s/rdl_conn_tx_done\(c, \(size_t\)n\)/rdl_conn_tx_done(c, len)/
