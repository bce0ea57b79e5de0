# SPDX-License-Identifier: MIT
# net/net_request.c: a request that is given up leaves MULTI
s/if \(r->round != ROUND_LOOK \|\| /if ((r->req == NULL \&\& !r->op->is_owed) || r->round != ROUND_LOOK || /
