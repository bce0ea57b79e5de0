# SPDX-License-Identifier: MIT
# lock/lock_delete.c: by DELEX: 0 is gone or taken, the PTTL tells
s/c->reply_kind == RDL_RESP_ERROR \|\| rdl_reply_is_int\(c, -2\)/c->reply_kind == RDL_RESP_INT/
