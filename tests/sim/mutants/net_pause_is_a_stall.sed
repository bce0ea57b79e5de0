# SPDX-License-Identifier: MIT
# net/net_timers.c: R10: a paused request is not an overdue reply
/^static uint64_t tick_ready/,/^}/s/if \(!rdl_queue_is_awaited\(c\)\)/if (c->base == c->tail)/
