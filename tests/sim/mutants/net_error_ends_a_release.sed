# SPDX-License-Identifier: MIT
# net/net_request.c: R10: a release is sent again after a temporary error
s/if \(r->op->must_send != RDL_SEND_ALWAYS \|\| r->ttl_ms == 0 \|\|/if (r->ttl_ms == 0 || r->op != NULL ||/
