# SPDX-License-Identifier: MIT
# net/net_stream.c: rule 8: it closes when there is nothing to send
s/^        if \(len == 0\)$/        if (len == 0)\
            rdl_conn_shut(c, RDL_E_CLOSED);\
        if (len == 0)/
