# SPDX-License-Identifier: MIT
# net/net_request.c: R10: a release is not sent again after its key expired
s/\(c->state == RDL_CONN_CLOSED \? c->tail : c->head\)/(c->state == RDL_CONN_CLOSED ? c->tail : c->base)/
