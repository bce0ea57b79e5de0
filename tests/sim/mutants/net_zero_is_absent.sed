# SPDX-License-Identifier: MIT
# lock/lock_requests.c: R4: by DELEX: 0 means gone or taken, and the PTTL distinguishes them
s/c->reply_value == -2\)/c->reply_kind == RDL_RESP_INT)/
