# SPDX-License-Identifier: MIT
# net/net_conn.c: a byte ends the silence
s/if \(n > 0 && \(c->state == RDL_CONN_READY \|\| c->state == RDL_CONN_STALLED\)\)/if (n > 0 \&\& c->state == RDL_CONN_READY)/
