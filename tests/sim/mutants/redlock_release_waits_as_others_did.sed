# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: a release says how long its answer may take
s/^            rdl_conn_expect\(s->conn, patience_ms\(r, s\)\);/            ;/
