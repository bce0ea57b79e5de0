# SPDX-License-Identifier: MIT
# net/net_request.c: who is asked twice is told, and looks behind the second
s/r->req->is_repeated = 1;/;/
