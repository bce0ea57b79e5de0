# SPDX-License-Identifier: MIT
# net/net_request.c: R7: a request answered with an unknown error may have been executed
s/r->req->may_be_second = 1;$/r->req->may_be_second = 0;/
