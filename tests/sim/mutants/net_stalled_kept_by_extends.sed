# SPDX-License-Identifier: MIT
# net/net_timers.c: extends keep no silent connection alive
s/r->op->may_grant && r->len != 0 && /r->len != 0 \&\& /
