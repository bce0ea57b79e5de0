# SPDX-License-Identifier: MIT
# net/net_timers.c: R18: the round trip is measured for each connection
s/ \|\| c->handshake_seen == 0//
