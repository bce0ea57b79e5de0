# SPDX-License-Identifier: MIT
# net/net_request.c: what was answered with an unknown error may have been done
s/r->req->is_again = 1;$/r->req->is_again = 0;/
