# SPDX-License-Identifier: MIT
# net/net_posix.c: rule 8: it closes when there is nothing to send
s/^        if \(len == 0\) .*$/        if (len == 0) {\
            end(c, RDL_E_CLOSED);\
            return 1;\
        }\
        if (len == 0)/
