# SPDX-License-Identifier: MIT
# redlock/redlock_count.c: a majority is as far away as its farthest, of those that count
s/return s->counts && rdl_conn_state/return rdl_conn_state/
