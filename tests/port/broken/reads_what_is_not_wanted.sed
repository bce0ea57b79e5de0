# SPDX-License-Identifier: MIT
# net/net_stream.c: rule 6: it reads all the time
s/^    do \{$/    if (c->waits == RDL_STREAM_BEGUN \&\& !(rdl_conn_wants(c) \& RDL_WANT_READ)) {\
        int got = s->ops->recv(NULL, c, s->buf, s->cap);\
        if (got > 0)\
            rdl_conn_rx(c, s->buf, (size_t)got);\
    }\
&/
