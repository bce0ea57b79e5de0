# SPDX-License-Identifier: MIT
# net/net_stream.c: rule 10: a send error ends the connection before received bytes are read
s/^    \} while \(transmit\(.*$/        if (transmit(c, s, \&did))\
            rdl_conn_shut(c, c->send_result);\
    } while (0);/
