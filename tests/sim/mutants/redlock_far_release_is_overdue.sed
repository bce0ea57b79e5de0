# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: R18: a release to a server that proves to be far does not stall its connection
s/^( +)rdl_conn_set_timeout\(.*reply_timeout_ms\(r, &r->servers\[i\], rtt_ms\)\);/\1;/
