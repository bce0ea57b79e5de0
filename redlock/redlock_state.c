/* SPDX-License-Identifier: MIT */
/* redlock_state.c - the start of an operation's states, and the end of the lease. */
#include "redlock/redlock_private.h"

void rdl_redlock_start_asking(struct rdl_redlock *r, uint64_t now_ms)
{
    r->sent_ms = now_ms;
    r->wake_ms = now_ms + rdl_redlock_attempt_ms(r);
    r->state = REDLOCK_ASKED;
}

void rdl_redlock_wake_by(struct rdl_redlock *r, uint64_t most_ms)
{
    if (r->wake_ms > most_ms)
        r->wake_ms = most_ms;
}

uint64_t rdl_redlock_validity_end(const struct rdl_redlock *r)
{
    return r->sent_ms + r->ttl_ms - rdl_drift_ms(r->ttl_ms);
}

uint64_t rdl_redlock_pause_deadline(const struct rdl_redlock *r)
{
    return r->state == REDLOCK_PAUSE ? r->deadline_ms : 0;
}

uint32_t rdl_redlock_remaining_ms(const struct rdl_redlock *r, uint64_t now_ms)
{
    int is_held = r->self == r && r->until_ms > now_ms && r->until_ms != UINT64_MAX;

    return is_held ? (uint32_t)(r->until_ms - now_ms) : 0;
}
