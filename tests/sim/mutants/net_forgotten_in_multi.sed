# SPDX-License-Identifier: MIT
# net/net_request.c: a request that is given up leaves MULTI
s/return r->len != 0 \|\| r->round != ROUND_LOOK;/return r->len != 0;/
