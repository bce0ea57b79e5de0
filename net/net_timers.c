/* SPDX-License-Identifier: MIT */
/* net_timers.c - when a conn is opened, aborted and retried. Time is an argument: a conn has no clock. */
#include "net/net_private.h"
#include "resp/resp_bytes.h"

enum { PAUSE_BASE_MS = 20, PAUSE_CAP_MS = 2000, DOUBLINGS_MAX = 16, BEAT_MS = 256 };

/* xorshift32 */
/*@ requires \valid(seed);
    assigns *seed; */
uint32_t rdl_random(uint32_t *seed)
{
    uint32_t x = *seed != 0 ? *seed : 0x9e3779b9u;

    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    *seed = x;
    return x;
}

uint32_t rdl_backoff_ms(uint32_t *seed, uint32_t base_ms, uint32_t cap_ms, unsigned tries)
{
    uint32_t most = base_ms;
    uint32_t x;

    if (tries > DOUBLINGS_MAX)
        tries = DOUBLINGS_MAX;
    /*@ loop invariant most <= base_ms || most <= cap_ms;
        loop invariant tries <= \at(tries, LoopEntry);
        loop invariant most <= base_ms || tries < \at(tries, LoopEntry);
        loop assigns most, tries;
        loop variant tries; */
    for (; tries > 0 && most < cap_ms; tries--)
        most = most > cap_ms / 2 ? cap_ms : most * 2;
    if (most > cap_ms)
        most = cap_ms;
    if (most == 0)
        return 1;
    x = rdl_random(seed);
    return x - rdl_quotient(x, most) * most + 1;
}

extern inline void rdl_conn_seed(struct rdl_conn *c, uint32_t seed);

uint32_t rdl_conn_connect_ms(const struct rdl_conn *c)
{
    return c->cfg->connect_ms != 0 ? c->cfg->connect_ms : RDL_CONNECT_MS;
}

/*
 * Measures the round trips of the login: the time until the connection is open, and then until each further
 * reply. They follow one another without a gap, and the longest counts. So neither our own delays nor a
 * nearby proxy that opens the connection for the server makes it too short. Until the first one ends, the
 * value is that of the previous connection.
 *
 * If no operation waited for all of a step, or if it took longer than a login may, the reply may have been
 * there for long. Such a time is only an upper bound, and is cut to what a login may take.
 */
RDL_NOINLINE static void time_login(struct rdl_conn *c, uint64_t now_ms)
{
    uint32_t took_ms;
    uint8_t seen = c->state != RDL_CONN_OPENING ? (uint8_t)(c->handshake_done + 1) : 0;
    uint8_t is_bound = (uint8_t)(c->step_is_bound | (!c->is_awaited));

    c->step_is_bound = is_bound;
    if (seen == c->handshake_seen)
        return;
    took_ms = (uint32_t)now_ms - c->mark_ms + 1;
    if (took_ms > rdl_conn_connect_ms(c)) {
        took_ms = rdl_conn_connect_ms(c);
        is_bound = 1;
    }
    if (took_ms > c->rtt_ms || c->handshake_seen == 0 || (c->rtt_is_bound && !is_bound)) {
        c->rtt_ms = took_ms;
        c->rtt_is_bound = is_bound;
    }
    c->handshake_seen = seen;
    c->step_is_bound = 0;
    c->mark_ms = (uint32_t)now_ms;
}

/*
 * If no operation waits, the connection may have ended long ago. So a pause counts from the last tick at
 * which it was open.
 */
static uint64_t tick_closed(struct rdl_conn *c, uint64_t now_ms)
{
    uint32_t over_ms = ((uint32_t)now_ms - c->open_ms) & (c->is_awaited - 1u); /* 0 if it is awaited */

    if (c->waits == RDL_PAUSE_DUE && c->failures > 0) {
        uint32_t pause_ms;

        c->seed ^= (uint32_t)now_ms;
        pause_ms = rdl_backoff_ms(&c->seed, PAUSE_BASE_MS, PAUSE_CAP_MS, c->failures);
        if (pause_ms > over_ms) {
            c->timer_ms = now_ms + (pause_ms - over_ms);
            c->waits = RDL_PAUSE_RUNNING;
        }
    }
    if (c->waits == RDL_PAUSE_RUNNING && now_ms < c->timer_ms)
        return c->timer_ms;
    rdl_queue_drop_stale(c, now_ms);
    c->waits = RDL_PAUSE_NONE;
    c->state = RDL_CONN_OPENING;
    c->handshake_seen = c->step_is_bound = 0;
    c->mark_ms = c->open_ms = (uint32_t)now_ms;
    if (c->failures < UINT8_MAX)
        c->failures++;
    c->timer_ms = now_ms + rdl_conn_connect_ms(c);
    return c->timer_ms;
}

void rdl_conn_end_pause(struct rdl_conn *c)
{
    if (c->state != RDL_CONN_CLOSED)
        return;
    c->waits = RDL_PAUSE_NONE;
    c->failures = 0;
    c->error = RDL_OK;
}

static uint32_t timeout_of(const struct rdl_conn *c)
{
    return (uint32_t)(c->signed_timeout_ms < 0 ? -c->signed_timeout_ms : c->signed_timeout_ms);
}

void rdl_conn_set_timeout(struct rdl_conn *c, uint32_t answer_ms)
{
    if (!rdl_queue_is_awaited(c)) {
        if (c->state == RDL_CONN_READY)
            c->timer_ms = 0;
    } else if (c->signed_timeout_ms >= (int32_t)answer_ms) {
        return;
    } else if (c->state == RDL_CONN_READY && c->timer_ms != 0) { /* it runs already */
        c->timer_ms = c->timer_ms - timeout_of(c) + answer_ms;
    }
    c->signed_timeout_ms = (int32_t)answer_ms;
}

void rdl_conn_abort_if_stalled(struct rdl_conn *c, uint32_t answer_ms)
{
    if (c->lease_timeout_ms == 0 || c->lease_timeout_ms > answer_ms)
        c->lease_timeout_ms = answer_ms;
}

/* Returns when the oldest reply of a READY conn is overdue: c->timer_ms, or earlier for a lease in danger. */
static uint64_t overdue_at(const struct rdl_conn *c)
{
    uint32_t timeout_ms = timeout_of(c);
    int is_in_danger = c->lease_timeout_ms != 0 && c->lease_timeout_ms < timeout_ms;

    return c->timer_ms - (is_in_danger ? timeout_ms - c->lease_timeout_ms : 0);
}

int rdl_conn_is_due(struct rdl_conn *c, uint64_t now_ms)
{
    switch ((enum rdl_conn_phase)c->state) {
    case RDL_CONN_OPENING:
    case RDL_CONN_HANDSHAKE:
        return 1;
    case RDL_CONN_READY:
        return c->timer_ms != 0 && now_ms >= overdue_at(c);
    case RDL_CONN_STALLED:
        return now_ms >= rdl_queue_stalled_end(c, now_ms);
    case RDL_CONN_CLOSED:
    case RDL_CONN_FAILED:
        break;
    }
    return 0;
}

/* Marks the conn stalled when the oldest reply is overdue, and closes it later. Returns the next deadline. */
static uint64_t tick_waiting(struct rdl_conn *c, uint64_t now_ms)
{
    uint64_t end_ms;

    if (c->state == RDL_CONN_READY) {
        if (c->timer_ms == 0)
            c->timer_ms = now_ms + timeout_of(c);
        end_ms = overdue_at(c);
        if (now_ms < end_ms) /* the oldest reply is not overdue */
            return end_ms;
        c->state = RDL_CONN_STALLED;
        c->error = RDL_E_TIMEOUT;
        c->timer_ms = now_ms + 1; /* the reply may have arrived: the driver reads before then */
    }
    end_ms = rdl_queue_stalled_end(c, now_ms);
    if (now_ms < end_ms)
        return end_ms;
    rdl_conn_shut(c, RDL_E_TIMEOUT);
    return UINT64_MAX;
}

/* Sends deferred records again at each beat of a clock that began with the login: after a random time. */
static uint64_t tick_ready(struct rdl_conn *c, uint64_t now_ms)
{
    uint32_t clock_ms = (uint32_t)now_ms - c->mark_ms;

    if (c->beat != (uint8_t)(clock_ms / BEAT_MS)) {
        c->beat = (uint8_t)(clock_ms / BEAT_MS);
        rdl_queue_drop_stale(c, now_ms);
        rdl_queue_resume(c);
    }
    if (!rdl_queue_is_awaited(c))
        rdl_conn_heard(c);
    else if (c->signed_timeout_ms != 0)
        return tick_waiting(c, now_ms);
    return rdl_queue_has_paused(c) ? now_ms + BEAT_MS - clock_ms % BEAT_MS : UINT64_MAX;
}

uint64_t rdl_conn_tick(struct rdl_conn *c, uint64_t now_ms)
{
    if (c->state == RDL_CONN_FAILED)
        return UINT64_MAX;
    if (c->state == RDL_CONN_CLOSED)
        return tick_closed(c, now_ms);
    c->open_ms = (uint32_t)now_ms;
    time_login(c, now_ms);
    if (c->state == RDL_CONN_READY || c->state == RDL_CONN_STALLED) {
        if (c->checks != NULL && !(c->cfg->server_info->has & RDL_INFO_TIMESTAMP))
            c->checks->timestamp(c, now_ms);
        return tick_ready(c, now_ms);
    }
    if (now_ms < c->timer_ms)
        return c->timer_ms;
    rdl_conn_shut(c, RDL_E_TIMEOUT);
    return UINT64_MAX;
}

uint64_t rdl_conn_tick_for_lease(struct rdl_conn *c, uint32_t left_ms, uint64_t now_ms)
{
    uint64_t at_ms = rdl_conn_tick(c, now_ms);
    uint32_t most_ms = rdl_quotient(left_ms, 20);

    if (most_ms < RDL_PAUSE_LEAST_MS)
        most_ms = RDL_PAUSE_LEAST_MS;
    if (left_ms == 0 || c->state != RDL_CONN_CLOSED || (uint32_t)(at_ms - now_ms) <= most_ms)
        return at_ms;
    c->timer_ms = now_ms + rdl_backoff_ms(&c->seed, most_ms, most_ms, 0);
    return c->timer_ms;
}
