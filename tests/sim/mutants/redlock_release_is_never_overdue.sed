# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: the connections of a redlock that only releases become overdue
s/^( +)rdl_conn_expect\(.*patience_ms\(r, &r->servers\[i\]\)\);/\1;/
s/^            rdl_conn_expect\(s->conn, patience_ms\(r, s\)\);/            ;/
