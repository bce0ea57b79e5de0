# SPDX-License-Identifier: MIT
# net/net_timers.c: a more patient lock that comes while an answer is waited for is waited for
s/^    if \(c->state == RDL_CONN_READY && c->retry_ms != 0\) .*/    if (0)/
