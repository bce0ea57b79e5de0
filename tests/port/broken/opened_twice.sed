# SPDX-License-Identifier: MIT
# net/net_stream.c: rule 1: it reports opened twice
s/^            rdl_conn_opened\(c\);$/            rdl_conn_opened(c), rdl_conn_opened(c);/
