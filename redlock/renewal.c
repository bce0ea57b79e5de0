/* SPDX-License-Identifier: MIT */
/* renewal.c - the renewal timer: when to renew a lease, as a pure function of the time. */
#include "redlock/redlock.h"

enum { LEAST_MS = 10 };

void rdl_renewal_renewed(struct rdl_renewal *k, uint32_t ttl_ms, uint64_t until_ms, uint64_t now_ms)
{
    uint64_t left_ms = until_ms > now_ms ? until_ms - now_ms : 0;

    k->ttl_ms = ttl_ms;
    k->until_ms = until_ms;
    k->renew_ms = now_ms + (left_ms / 2 < ttl_ms / 3 ? left_ms / 2 : ttl_ms / 3);
}

/* Soon, but without overloading a server in trouble; sooner as the end of the lease comes closer. */
void rdl_renewal_failed(struct rdl_renewal *k, uint64_t now_ms)
{
    uint32_t pause_ms = k->until_ms > now_ms ? (uint32_t)(k->until_ms - now_ms) / 20 : 0;
    uint32_t least_ms = k->ttl_ms / 20 < LEAST_MS ? k->ttl_ms / 20 : LEAST_MS;

    k->renew_ms = now_ms + (pause_ms > least_ms ? pause_ms : least_ms) + 1;
}

enum rdl_renewal_action rdl_renewal_next(const struct rdl_renewal *k, uint64_t now_ms, uint64_t *at_ms)
{
    *at_ms = k->renew_ms < k->until_ms ? k->renew_ms : k->until_ms;
    if (now_ms >= k->until_ms)
        return RDL_RENEWAL_LOST;
    return now_ms >= k->renew_ms ? RDL_RENEWAL_RENEW : RDL_RENEWAL_SLEEP;
}
