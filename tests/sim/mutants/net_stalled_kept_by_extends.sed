# SPDX-License-Identifier: MIT
# net/net_request.c: R16: extends do not keep a stalled connection open
s/r->op->may_grant && r->len != 0 && /r->len != 0 \&\& /
