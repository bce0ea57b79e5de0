/* SPDX-License-Identifier: MIT */
/* renewal.c - the renewal timer: when to renew a lease, as a pure function of the time. */
#include "redlock/redlock.h"

enum { LEAST_MS = 10 };

/* Returns when the work must stop. */
static uint64_t stop_ms(const struct rdl_renewal *k)
{
    return k->until_ms > k->grace_ms ? k->until_ms - k->grace_ms : 0;
}

/* Returns how long the work may go on. */
static uint64_t left_to_work_ms(const struct rdl_renewal *k, uint64_t now_ms)
{
    return stop_ms(k) > now_ms ? stop_ms(k) - now_ms : 0;
}

void rdl_renewal_renewed(struct rdl_renewal *k, uint32_t ttl_ms, uint32_t grace_ms, uint64_t until_ms,
                         uint64_t now_ms)
{
    uint64_t left_ms;

    k->ttl_ms = ttl_ms;
    k->grace_ms = grace_ms;
    k->until_ms = until_ms;
    left_ms = left_to_work_ms(k, now_ms);
    k->renew_ms = now_ms + (left_ms / 2 < ttl_ms / 3 ? left_ms / 2 : ttl_ms / 3);
}

/* Soon, but without overloading a server in trouble; sooner as the end of the work comes closer. */
void rdl_renewal_failed(struct rdl_renewal *k, uint64_t now_ms)
{
    uint32_t pause_ms = (uint32_t)left_to_work_ms(k, now_ms) / 20;
    uint32_t least_ms = k->ttl_ms / 20 < LEAST_MS ? k->ttl_ms / 20 : LEAST_MS;

    k->renew_ms = now_ms + (pause_ms > least_ms ? pause_ms : least_ms) + 1;
}

enum rdl_renewal_action rdl_renewal_next(const struct rdl_renewal *k, uint64_t now_ms, uint64_t *at_ms)
{
    *at_ms = k->until_ms;
    if (now_ms >= k->until_ms)
        return RDL_RENEWAL_LOST;
    if (now_ms >= stop_ms(k))
        return RDL_RENEWAL_STOP;
    *at_ms = k->renew_ms < stop_ms(k) ? k->renew_ms : stop_ms(k);
    return now_ms >= k->renew_ms ? RDL_RENEWAL_RENEW : RDL_RENEWAL_SLEEP;
}
