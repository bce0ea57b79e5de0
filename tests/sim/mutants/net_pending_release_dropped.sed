# SPDX-License-Identifier: MIT
# net/net_request.c: R10: a pending release survives its connection
/^void rdl_requests_disconnected/,/^}/s/if \(r->op->must_send == RDL_SEND_ALWAYS\)/if (r->op == NULL)/
