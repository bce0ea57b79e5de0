# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: R17: over N servers, too, a lease is not lost on a stalled connection that SETs keep open
s/rdl_conn_abort_if_stalled\(r->servers\[i\].conn, .*/;/
