# SPDX-License-Identifier: MIT
# net/net_request.c: R11: a request abandoned before it was sent is never sent
/^void rdl_conn_abandon/,/^}/s/if \(!was_sent && !r->op->must_send\)/if (was_sent < 0)/
