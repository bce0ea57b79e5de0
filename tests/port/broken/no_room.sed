# SPDX-License-Identifier: MIT
# net/net_posix.c: rule 7: it requests bytes without room for them
s/rdl_conn_tx\(c, buf, sizeof buf\)/rdl_conn_tx(c, buf, sizeof buf - SEND_BYTES)/
