# SPDX-License-Identifier: MIT
# net/net_posix.c: rule 3: an aborted connect is not reported as closed
s/^    if \(rdl_conn_wants\(c\) & RDL_WANT_CLOSE\) \{$/    if ((rdl_conn_wants(c) \& RDL_WANT_CLOSE) \&\& !(c->fd >= 0 \&\& rdl_conn_error(c) == RDL_E_TIMEOUT \&\& c->sys_error != -1)) {/
s/^    rdl_conn_opened\(c\);$/    c->sys_error = -1;\
    rdl_conn_opened(c);/
