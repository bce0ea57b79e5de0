# SPDX-License-Identifier: MIT
# net/net_stream.c: rule 10: a send error ends the connection before received bytes are read
s/^    \} while \(n < 0 && .*$/        if (n < 0)\
            rdl_conn_shut(c, n);\
    } while (0);/
