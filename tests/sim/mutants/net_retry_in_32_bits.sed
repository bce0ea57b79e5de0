# SPDX-License-Identifier: MIT
# net/net_timers.c: R22: a clock may pass 49 days
s/c->waits == RDL_PAUSE_RUNNING && now_ms < c->timer_ms/c->waits == RDL_PAUSE_RUNNING \&\& (uint32_t)now_ms < (uint32_t)c->timer_ms/
