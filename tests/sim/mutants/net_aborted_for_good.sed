# SPDX-License-Identifier: MIT
# net/net_conn.c: that a connection was given up is over with the next byte
s/c->hurry_ms = 0;//
