# SPDX-License-Identifier: MIT
# net/net_timers.c: a silent connection is asked nothing more
s/^        c->state = RDL_CONN_STALLED;//
