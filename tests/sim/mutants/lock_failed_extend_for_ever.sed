# SPDX-License-Identifier: MIT
# lock/lock.c: R17: a lease is not lost on a stalled connection that other locks' SETs keep open
s/rdl_conn_abort_if_stalled\(l->conn, .*/;/
