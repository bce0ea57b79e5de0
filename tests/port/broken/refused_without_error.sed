# SPDX-License-Identifier: MIT
# net/net_stream.c: rule 2: it reports a refused connect without an error
s/^        if \(n == RDL_STREAM_READY\)$/        if (n < 0)\
            return rdl_conn_closed(c, 0), 1;\
        if (n == RDL_STREAM_READY)/
