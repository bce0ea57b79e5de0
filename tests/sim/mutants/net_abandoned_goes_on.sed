# SPDX-License-Identifier: MIT
# net/net_request.c: what nobody waits for is not sent again behind its release
s/if \(r->req == NULL && !r->op->must_send\)/if (0)/
