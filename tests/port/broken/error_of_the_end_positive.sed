# SPDX-License-Identifier: MIT
# net/net_stream.c: rule 4: an error is reported as a positive number
s/^            rdl_conn_shut\(c, n\);$/            rdl_conn_shut(c, -n);/
