# SPDX-License-Identifier: MIT
# net/net_timers.c: what pauses is no overdue answer
/^static uint64_t tick_ready/,/^}/s/c->head == c->tail/c->base == c->tail/
