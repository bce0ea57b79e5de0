# SPDX-License-Identifier: MIT
# net/net_timers.c: the round trip is that of this connection
s/ \|\| c->handshake_seen == 0\)/)/
