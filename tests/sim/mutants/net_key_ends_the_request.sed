# SPDX-License-Identifier: MIT
# net/net_request.c: R20: after NOPERM for a key the request goes on to the next method, as after a refusal
s/^    r->is_refused = 1;/    r->is_refused = class != RDL_E_PERM || is_command(c->reply);/
