/* SPDX-License-Identifier: MIT */
/* redlock_io.c - the blocking functions: clock, random numbers and waiting come from rdl_platform. */
#include "redlock/redlock_private.h"

static int poll_all(struct rdl_redlock *r, const struct rdl_platform *platform, uint64_t until_ms,
                    size_t need, int can_wake)
{
    struct rdl_conn *conns[RDL_SERVERS_MAX + 1];
    size_t n;

    for (n = 0; n < r->n; n++)
        conns[n] = r->servers[n].conn;
    if (r->hint != NULL && r->hint->conn != NULL)
        conns[n++] = r->hint->conn;
    return platform->poll(platform->ctx, conns, n, until_ms, need, can_wake);
}

/* Returns 1 if there are bytes to send or connections to close, the hint's included. */
static int has_output(const struct rdl_redlock *r)
{
    unsigned wants = r->hint != NULL && r->hint->conn != NULL ? rdl_conn_wants(r->hint->conn) : 0;
    size_t i;

    for (i = 0; i < r->n; i++)
        wants |= rdl_conn_wants(r->servers[i].conn);
    return (wants & (RDL_WANT_WRITE | RDL_WANT_CLOSE)) != 0;
}

/*
 * Reads what arrived since the last operation where it would otherwise count as missing. It also reads after
 * a time in which a connection may have closed. A request sent over such a connection is sent twice, and the
 * second release cannot always find out what the first one did. All else is read with the next replies.
 */
static uint64_t redlock_begin_ms(struct rdl_redlock *r, const struct rdl_platform *platform)
{
    uint64_t now_ms = rdl_now(platform);
    int is_due = now_ms > r->sent_ms + RDL_QUIET_MS;
    size_t i;

    for (i = 0; i < r->n; i++)
        is_due |= rdl_conn_is_due(r->servers[i].conn, now_ms);
    if (!is_due || r->n == 0) /* its set-up failed */
        return now_ms;
    (void)poll_all(r, platform, 0, 1, 0);
    return rdl_now(platform);
}

/* Runs an operation to its end. Only an acquire is interrupted from outside: the others are short. */
static int redlock_run(struct rdl_redlock *r, const struct rdl_platform *platform, int rc)
{
    while (rc == RDL_PENDING) {
        rc = poll_all(r, platform, rdl_redlock_wake_ms(r), rdl_redlock_need(r), r->action == RDL_ACQUIRE);
        if (rc == RDL_OK)
            rc = rdl_redlock_step(r, rdl_now(platform));
        else
            rdl_redlock_cancel(r);
    }
    if (has_output(r)) /* at once, because the caller may exit now */
        (void)poll_all(r, platform, 0, 1, 0);
    return rc;
}

int rdl_redlock_acquire(struct rdl_redlock *r, const struct rdl_platform *platform)
{
    uint8_t entropy[RDL_ENTROPY_LEN];

    if (platform->random(platform->ctx, entropy, sizeof entropy) != RDL_OK) {
        rdl_redlock_cancel(r); /* also a lease that ran out has ended when this returns */
        return RDL_E_RANDOM;
    }
    return redlock_run(r, platform, rdl_redlock_acquire_begin(r, entropy, redlock_begin_ms(r, platform)));
}

int rdl_redlock_extend(struct rdl_redlock *r, const struct rdl_platform *platform, uint32_t ttl_ms)
{
    return redlock_run(r, platform, rdl_redlock_extend_begin(r, ttl_ms, redlock_begin_ms(r, platform)));
}

int rdl_redlock_release(struct rdl_redlock *r, const struct rdl_platform *platform)
{
    return redlock_run(r, platform, rdl_redlock_release_begin(r, redlock_begin_ms(r, platform)));
}

int rdl_redlock_drain(struct rdl_redlock *r, const struct rdl_platform *platform, uint64_t until_ms)
{
    uint64_t wake_ms = 0; /* the first poll only reads */
    uint64_t now_ms = 0;

    while (!rdl_redlock_is_idle(r) && now_ms < until_ms) {
        int rc = poll_all(r, platform, wake_ms < until_ms ? wake_ms : until_ms, 1, 0);
        if (rc != RDL_OK)
            return rc;
        now_ms = rdl_now(platform);
        rdl_redlock_step(r, now_ms); /* the last replies become votes, and may cause new requests */
        wake_ms = rdl_redlock_wake_ms(r);
    }
    return rdl_redlock_is_idle(r) ? RDL_OK : RDL_E_TIMEOUT;
}
