# SPDX-License-Identifier: MIT
# net/net_posix.c: rule 10: the last byte of a full buffer is lost
s/rdl_conn_rx\(c, bytes, n\)/rdl_conn_rx(c, bytes, n - (n == READ_BYTES))/
