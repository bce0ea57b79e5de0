# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: 64 unanswered on a conn are enough
s/rdl_conn_waiting\(s->conn\) < RDL_WAITING_MAX/1/
