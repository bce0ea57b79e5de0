# SPDX-License-Identifier: MIT
# net/net_request.c: R7: a request answered with an unknown error may have been executed
s/r->req->is_again = 1;$/r->req->is_again = 0;/
