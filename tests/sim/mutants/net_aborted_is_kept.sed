# SPDX-License-Identifier: MIT
# net/net_timers.c: a silent connection that was given up is not kept for its SETs
s/ && c->hurry_ms == 0//
