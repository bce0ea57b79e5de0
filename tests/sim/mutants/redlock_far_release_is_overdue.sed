# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: a release to a server that turns out to be far is no silence
s/^( +)rdl_conn_set_timeout\(.*reply_timeout_ms\(r, &r->servers\[i\]\)\);/\1;/
