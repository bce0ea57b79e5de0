# SPDX-License-Identifier: MIT
# redlock/redlock_private.h: R26: a connection that was opened without connection checks has no guard
s/return c->checks == NULL && c->state != RDL_CONN_CLOSED.*/return 0;/
