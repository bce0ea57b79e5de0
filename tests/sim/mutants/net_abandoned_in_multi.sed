# SPDX-License-Identifier: MIT
# net/net_request.c: R11: an abandoned request leaves MULTI
s/return r->len != 0 \|\| r->phase != RDL_PHASE_CHECK;/return r->len != 0;/
