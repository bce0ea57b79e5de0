# SPDX-License-Identifier: MIT
# net/net_conn.c: R19: the login is complete before the first lock command
/^void rdl_conn_opened/,/^}/s/if \(handshake == NULL .*/if (c->state != RDL_CONN_CLOSED)/
