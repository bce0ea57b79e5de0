# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: R22: a connection has at most 64 unanswered requests
s/rdl_conn_waiting\(s->conn\) < RDL_WAITING_MAX/1/
