# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: a release says how long its answer may take
s/^            rdl_conn_set_timeout\(s->conn, reply_timeout_ms\(r, s\)\);/            ;/
