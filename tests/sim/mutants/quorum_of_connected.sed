# SPDX-License-Identifier: MIT
# redlock/redlock_count.c: a majority of the configured servers
s/return r->n \/ 2u \+ 1u;/return rdl_votes_conns(r, RDL_CONN_READY) \/ 2u + 1u;/
