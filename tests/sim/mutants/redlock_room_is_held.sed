# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: a lease that is held reserves no room
/^int rdl_redlock_finish/,/^}/s/^        rdl_conn_free_room\(.*$/        ;/
