# SPDX-License-Identifier: MIT
# net/net_queue.c: a record that does not fit is refused
s,c->tail - c->base \+ size \+ keep > c->cfg->queue_len,c->tail - c->base > c->cfg->queue_len,
