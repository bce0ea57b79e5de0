# SPDX-License-Identifier: MIT
# lock/lock.c: R17: after a failed extend the next connect pauses only briefly
s/return rdl_conn_tick_for_lease\(l->conn, .*/return rdl_conn_tick(l->conn, now_ms);/
