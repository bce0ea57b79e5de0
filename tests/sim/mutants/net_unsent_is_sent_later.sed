# SPDX-License-Identifier: MIT
# net/net_request.c: what was given up before it was sent never is
/^void rdl_conn_abandon/,/^}/s/if \(!was_sent && !r->op->must_send\)/if (was_sent < 0)/
