# SPDX-License-Identifier: MIT
# net/net_conn.c: R15: a received byte ends the stall
s/if \(n > 0 && \(c->state == RDL_CONN_READY \|\| c->state == RDL_CONN_STALLED\)\)/if (n > 0 \&\& c->state == RDL_CONN_READY)/
