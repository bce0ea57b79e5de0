# SPDX-License-Identifier: MIT
# net/net_timers.c: a release is not sent again when its key has ended
s/\(c->state == RDL_CONN_CLOSED \? c->tail : c->head\)/(c->state == RDL_CONN_CLOSED ? c->tail : c->base)/
