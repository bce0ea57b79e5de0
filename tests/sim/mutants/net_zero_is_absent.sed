# SPDX-License-Identifier: MIT
# lock/lock_delete.c: by DELEX: 0 is gone or taken, the PTTL tells
s/c->reply_value == -2\)/c->reply_kind == RDL_RESP_INT)/
