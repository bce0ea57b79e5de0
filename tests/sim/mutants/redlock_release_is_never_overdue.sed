# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: R18: the connections of a redlock that only releases become stalled
s/^( +)rdl_conn_set_timeout\(.*reply_timeout_ms\(r, &r->servers\[i\], rtt_ms\)\);/\1;/
s/^            rdl_conn_set_timeout\(s->conn, reply_timeout_ms\(r, s, rtt_ms\)\);/            ;/
