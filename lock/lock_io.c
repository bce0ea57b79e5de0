/* SPDX-License-Identifier: MIT */
/* lock_io.c - the blocking functions: a struct rdl_platform supplies the clock, random bytes and waiting. */
#include "lock/lock_hint.h"
#include "lock/lock_io.h"
#include "lock/lock_op.h"

/*
 * Reads first, and returns the time: what has arrived since the last operation would otherwise seem overdue.
 * If no lock used the connection lately, it may have ended; a release that is sent twice knows less.
 */
static uint64_t begin_ms(const struct rdl_lock *l, const struct rdl_platform *platform)
{
    uint64_t now_ms = rdl_now(platform);
    enum rdl_conn_phase state = rdl_conn_state(l->conn);
    /* a stalled conn may be closed in the next ms, not in this one; the request then uses a new one */
    uint64_t until_ms = state == RDL_CONN_STALLED ? now_ms + 1 : 0;

    if ((state == RDL_CONN_READY || state == RDL_CONN_CLOSED) && rdl_conn_is_idle(l->conn) &&
        (uint32_t)now_ms - l->conn->open_ms <= RDL_QUIET_MS)
        return now_ms;
    (void)platform->poll(platform->ctx, &l->conn, 1, until_ms, 0);
    return rdl_now(platform);
}

/* Waits and steps until an operation ends. Only an acquire can be interrupted: the others are short. */
static int run(struct rdl_lock *l, const struct rdl_platform *platform, int rc)
{
    struct rdl_conn *const conns[] = {l->conn, l->hint != NULL ? l->hint->conn : NULL};
    size_t n = conns[1] != NULL ? 2 : 1;

    while (rc == RDL_PENDING) {
        rc = platform->poll(platform->ctx, conns, n, l->wake_ms,
                            l->action == RDL_ACQUIRE ? RDL_POLL_CAN_WAKE : 0);
        if (rc == RDL_OK)
            rc = rdl_lock_step(l, rdl_now(platform));
        else
            rdl_lock_cancel(l);
    }
    /* the program may end now: send pending releases, and close what no longer waits, at once */
    if ((rdl_conn_wants(conns[0]) & (RDL_WANT_WRITE | RDL_WANT_CLOSE)) ||
        (n == 2 && (rdl_conn_wants(conns[1]) & RDL_WANT_CLOSE)))
        (void)platform->poll(platform->ctx, conns, n, 0, 0);
    return rc;
}

int rdl_lock_acquire(struct rdl_lock *l, const struct rdl_platform *platform)
{
    uint8_t entropy[RDL_ENTROPY_LEN];

    if (platform->random(platform->ctx, entropy, sizeof entropy) != RDL_OK)
        return RDL_E_RANDOM;
    return run(l, platform, rdl_lock_acquire_begin(l, entropy, begin_ms(l, platform)));
}

int rdl_lock_extend(struct rdl_lock *l, const struct rdl_platform *platform, uint32_t ttl_ms)
{
    return run(l, platform, rdl_lock_extend_begin(l, ttl_ms, begin_ms(l, platform)));
}

int rdl_lock_release(struct rdl_lock *l, const struct rdl_platform *platform)
{
    return run(l, platform, rdl_lock_release_begin(l, begin_ms(l, platform)));
}

int rdl_lock_drain(struct rdl_lock *l, const struct rdl_platform *platform, uint64_t until_ms)
{
    uint64_t wake_ms = 0; /* read first what has arrived */
    uint64_t now_ms = 0;

    while (!rdl_lock_is_idle(l) && now_ms < until_ms) {
        int rc = platform->poll(platform->ctx, &l->conn, 1, wake_ms < until_ms ? wake_ms : until_ms, 0);
        if (rc != RDL_OK)
            return rc;
        now_ms = rdl_now(platform);
        wake_ms = rdl_conn_tick(l->conn, now_ms);
    }
    return rdl_lock_is_idle(l) ? RDL_OK : RDL_E_TIMEOUT;
}
