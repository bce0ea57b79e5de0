# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: over N servers, too, a lease is not lost to a silence that the SETs of others keep
s/rdl_conn_abort_if_stalled\(r->servers\[i\].conn, .*/;/
