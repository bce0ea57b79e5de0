# SPDX-License-Identifier: MIT
# net/net_timers.c: R15: a stalled connection is sent nothing more
s/^        c->state = RDL_CONN_STALLED;//
