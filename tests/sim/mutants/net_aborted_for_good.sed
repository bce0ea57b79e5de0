# SPDX-License-Identifier: MIT
# net/net_conn.c: R15: the next byte received resets that a connection was to be aborted
s/c->hurry_ms = 0;//
