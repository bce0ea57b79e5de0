# SPDX-License-Identifier: MIT
# net/net_request.c: an owed release survives its connection
/^void rdl_requests_disconnected/,/^}/s/if \(r->op->is_owed == OWED_ALWAYS\)/if (r->op == NULL)/
