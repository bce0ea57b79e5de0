# SPDX-License-Identifier: MIT
# lock/lock.c: R12: a held lease reserves no room
/^static int finish/,/^}/s/^    rdl_conn_free_room\(l->conn, &l->req\);/    ;/
