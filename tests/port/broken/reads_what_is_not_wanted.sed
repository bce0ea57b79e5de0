# SPDX-License-Identifier: MIT
# net/net_stream.c: rule 6: it reads all the time
s/^    did \|= stream_receive\(c, s, 0\);$/&\
    if (c->stream == RDL_STREAM_OPEN \&\& !(rdl_conn_wants(c) \& RDL_WANT_READ)) {\
        int n = s->ops->recv(NULL, c, s->buf, s->cap);\
        if (n > 0)\
            rdl_conn_rx(c, s->buf, (size_t)n);\
    }/
