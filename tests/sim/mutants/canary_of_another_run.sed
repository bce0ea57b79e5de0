# SPDX-License-Identifier: MIT
# redlock/redlock_canary.c: R28: the canary of another run proves nothing
s/ \|\| !rdl_is_same\(mine, c->reply, c->reply_len\)//
