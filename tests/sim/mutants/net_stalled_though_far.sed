# SPDX-License-Identifier: MIT
# lock/lock.c: R18: a reply is not overdue before the attempt that waits for it ends
s/rdl_conn_set_timeout\(l->conn, answer_ms\)/rdl_conn_set_timeout(l->conn, rdl_attempt_ms(l->opt))/
