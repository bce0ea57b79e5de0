# SPDX-License-Identifier: MIT
# net/net_conn.c: that a connection was given up is over with the next byte
s/c->is_given_up = 0;//
