# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: over N servers, too, an answer is not overdue before the attempt is over
s/rdl_conn_expect\(s->conn, rdl_redlock_attempt_ms\(r\)\)/rdl_conn_expect(s->conn, rdl_attempt_ms(\&r->opt->lease))/
/far is not silent/d
