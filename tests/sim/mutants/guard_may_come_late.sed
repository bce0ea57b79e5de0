# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: R26: a connection that was opened without connection checks has no guard
s/if \(c->checks == NULL && c->state != RDL_CONN_CLOSED.*/if (0)/
