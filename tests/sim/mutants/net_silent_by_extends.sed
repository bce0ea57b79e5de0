# SPDX-License-Identifier: MIT
# net/net_upkeep.c: extends keep no silent connection alive
s/r->op->may_grant && at < c->draw && /at < c->draw \&\& /
