# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: R26: a conn that was set up again has checked no server
s/if \(s->conn->checks == NULL && r->opt->guard != RDL_GUARD_OFF\)/if (0)/
