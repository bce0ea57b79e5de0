# SPDX-License-Identifier: MIT
# net/net_request.c: R11: an abandoned request gets no reply
/^void rdl_conn_abandon/,/^}/s/^    r->req = NULL;$/    ;/
