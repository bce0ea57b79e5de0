/* SPDX-License-Identifier: MIT */
/* redlock_io.c - the blocking functions: clock, random numbers and waiting come from rdl_platform. */
#include "redlock/redlock_private.h"

static int poll_all(struct rdl_redlock *r, const struct rdl_platform *platform, uint64_t until_ms,
                    unsigned flags)
{
    struct rdl_conn *conns[RDL_SERVERS_MAX + 1];
    size_t n;

    for (n = 0; n < r->n; n++)
        conns[n] = r->servers[n].conn;
    if (r->hint != NULL && r->hint->conn != NULL)
        conns[n++] = r->hint->conn;
    return platform->poll(platform->ctx, conns, n, until_ms, flags);
}

/* Sends what there is to send, and closes what is to be closed, the hint's connection included. */
static void send_at_once(struct rdl_redlock *r, const struct rdl_platform *platform)
{
    unsigned wants = r->hint != NULL && r->hint->conn != NULL ? rdl_conn_wants(r->hint->conn) : 0;
    size_t i;

    for (i = 0; i < r->n; i++)
        wants |= rdl_conn_wants(r->servers[i].conn);
    if (wants & (RDL_WANT_WRITE | RDL_WANT_CLOSE))
        (void)poll_all(r, platform, 0, 0);
}

/* A request over a connection that has closed is sent twice, and a release that is sent twice knows less. */
uint64_t rdl_redlock_begin_ms(struct rdl_redlock *r, const struct rdl_platform *platform,
                              enum rdl_action action)
{
    int has_stragglers = action == RDL_EXTEND && r->action == RDL_EXTEND;
    uint64_t now_ms = rdl_now(platform);
    int is_due = now_ms > r->sent_ms + RDL_QUIET_MS;
    size_t i;

    for (i = 0; i < r->n; i++) {
        is_due |= rdl_conn_is_due(r->servers[i].conn, now_ms);
        is_due |= has_stragglers && r->servers[i].req.is_queued;
    }
    if (is_due && r->n > 0) { /* 0: its set-up failed */
        (void)poll_all(r, platform, 0, 0);
        now_ms = rdl_now(platform);
    }
    if (action == RDL_EXTEND) { /* before it begins, because it replaces what was not sent */
        (void)rdl_redlock_step(r, now_ms);
        send_at_once(r, platform);
    }
    return now_ms;
}

/* Runs an operation to its end. Only an acquire is interrupted from outside: the others are short. */
static int redlock_run(struct rdl_redlock *r, const struct rdl_platform *platform, int rc)
{
    while (rc == RDL_PENDING) {
        rc = poll_all(r, platform, rdl_redlock_wake_ms(r), r->action == RDL_ACQUIRE ? RDL_POLL_CAN_WAKE : 0);
        if (rc == RDL_OK)
            rc = rdl_redlock_step(r, rdl_now(platform));
        else
            rdl_redlock_cancel(r);
    }
    send_at_once(r, platform); /* the caller may exit now */
    return rc;
}

int rdl_redlock_acquire(struct rdl_redlock *r, const struct rdl_platform *platform)
{
    uint8_t entropy[RDL_ENTROPY_LEN];

    if (platform->random(platform->ctx, entropy, sizeof entropy) != RDL_OK) {
        rdl_redlock_cancel(r); /* also a lease that ran out has ended when this returns */
        return RDL_E_RANDOM;
    }
    return redlock_run(r, platform,
                       rdl_redlock_acquire_begin(r, entropy, rdl_redlock_begin_ms(r, platform, RDL_ACQUIRE)));
}

int rdl_redlock_extend(struct rdl_redlock *r, const struct rdl_platform *platform, uint32_t ttl_ms)
{
    uint64_t now_ms = rdl_redlock_begin_ms(r, platform, RDL_EXTEND);

    return redlock_run(r, platform, rdl_redlock_extend_begin(r, ttl_ms, now_ms));
}

int rdl_redlock_release(struct rdl_redlock *r, const struct rdl_platform *platform)
{
    return redlock_run(r, platform,
                       rdl_redlock_release_begin(r, rdl_redlock_begin_ms(r, platform, RDL_RELEASE)));
}

int rdl_redlock_drain(struct rdl_redlock *r, const struct rdl_platform *platform, uint64_t until_ms)
{
    uint64_t wake_ms = 0; /* the first poll only reads */
    uint64_t now_ms = 0;

    while (!rdl_redlock_is_idle(r) && now_ms < until_ms) {
        int rc = poll_all(r, platform, wake_ms < until_ms ? wake_ms : until_ms, 0);
        if (rc != RDL_OK)
            return rc;
        now_ms = rdl_now(platform);
        rdl_redlock_step(r, now_ms); /* the last replies become votes, and may cause new requests */
        wake_ms = rdl_redlock_wake_ms(r);
    }
    return rdl_redlock_is_idle(r) ? RDL_OK : RDL_E_TIMEOUT;
}
