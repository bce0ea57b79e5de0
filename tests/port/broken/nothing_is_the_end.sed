# SPDX-License-Identifier: MIT
# net/net_stream.c: rule 8: it closes when there is nothing to send
s/^        if \(len == 0\) .*$/        if (len == 0) {\
            rdl_stream_end(c, s, RDL_E_CLOSED);\
            return 1;\
        }\
        if (len == 0)/
