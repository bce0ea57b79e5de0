# SPDX-License-Identifier: MIT
# net/net_stream.c: rule 10: the last byte of a full buffer is lost
s/rdl_conn_rx\(c, s->buf, \(size_t\)n\)/rdl_conn_rx(c, s->buf, (size_t)n - ((size_t)n == s->cap))/
