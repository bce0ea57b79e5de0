# SPDX-License-Identifier: MIT
# net/net_stream.c: rule 3: an aborted connect is not reported as closed
s/^    if \(rdl_conn_wants\(c\) & RDL_WANT_CLOSE\) \{$/    if ((rdl_conn_wants(c) \& RDL_WANT_CLOSE) \&\& !(c->waits != RDL_STREAM_BEGUN \&\& rdl_conn_error(c) == RDL_E_TIMEOUT)) {/
