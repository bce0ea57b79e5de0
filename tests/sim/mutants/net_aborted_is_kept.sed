# SPDX-License-Identifier: MIT
# net/net_timers.c: R17: an aborted stalled connection is not kept for its SETs
s/ && c->hurry_ms == 0//
