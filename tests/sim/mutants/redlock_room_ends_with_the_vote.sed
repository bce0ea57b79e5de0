# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: R12: a granted SET keeps room for its release until the acquire ends
s/^(    s->took_ms = .*)$/\1\n    rdl_conn_free_room(s->conn, \&s->req);/
