# SPDX-License-Identifier: MIT
# net/net_request.c: R12: the room of a release stays reserved whatever the reply is
s/^(    method = method_of\(c, r\);)$/\1\n    if (r->req != NULL)\n        rdl_conn_free_room(c, r->req);/
