# SPDX-License-Identifier: MIT
# net/net_conn.c: R19: the login is complete before the first lock command
/^static void ready_if_complete/,/^}/s/if \(rdl_handshake_is_complete\(c\)\)/if (c->state != RDL_CONN_CLOSED)/
