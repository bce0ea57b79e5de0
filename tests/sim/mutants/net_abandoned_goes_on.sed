# SPDX-License-Identifier: MIT
# net/net_request.c: R11: an abandoned request is not sent again after its release
s/if \(r->req == NULL && !r->op->must_send\)/if (0)/
