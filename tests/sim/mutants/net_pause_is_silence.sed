# SPDX-License-Identifier: MIT
# net/net_upkeep.c: what pauses is no overdue answer
/^static uint64_t upkeep_ready/,/^}/s/c->head == c->tail/c->base == c->tail/
