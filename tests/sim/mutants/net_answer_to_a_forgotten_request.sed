# SPDX-License-Identifier: MIT
# net/net_conn.c: an abandoned request gets no answer
/^void rdl_conn_forget/,/^}/s/^    r->req = NULL;$/    ;/
