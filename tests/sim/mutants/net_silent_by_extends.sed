# SPDX-License-Identifier: MIT
# net/net_upkeep.c: extends keep no silent connection alive
s/r.op->may_grant && r.until_ms > end_ms/r.until_ms > end_ms/
