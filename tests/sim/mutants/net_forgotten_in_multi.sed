# SPDX-License-Identifier: MIT
# net/net_conn.c: a request that is given up leaves MULTI
s/was_sent = at < c->draw \|\| r->round != ROUND_LOOK;/was_sent = at < c->draw;/
