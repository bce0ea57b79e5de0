# SPDX-License-Identifier: MIT
# redlock/redlock_count.c: R18: the round trip of a majority is that of its farthest eligible server
s/return s->counts && rdl_conn_state/return rdl_conn_state/
