# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: R18: a release sets its own reply timeout
s/^            rdl_conn_set_timeout\(s->conn, reply_timeout_ms\(r, s, rtt_ms\)\);/            ;/
