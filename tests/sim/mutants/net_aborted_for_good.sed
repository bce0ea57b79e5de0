# SPDX-License-Identifier: MIT
# net/net_conn.c: R15: the next byte received resets that a connection was to be aborted
s/c->lease_timeout_ms = 0;//
