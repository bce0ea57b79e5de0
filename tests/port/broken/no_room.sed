# SPDX-License-Identifier: MIT
# net/net_stream.c: rule 7: it requests bytes without room for them
s/rdl_conn_tx\(c, s->buf, s->cap\)/rdl_conn_tx(c, s->buf, s->cap - s->cap)/
