/* SPDX-License-Identifier: MIT */
/* lock.c - one lock on one server: the states of an operation, and the plain mode (SET NX PX). */
#include "lock/lock_hint.h"
#include "lock/lock_private.h"
#include "resp/resp_bytes.h"

enum lock_state {
    LOCK_IDLE,    /* no operation */
    LOCK_CONNECT, /* waiting for the conn */
    LOCK_ASKED,   /* waiting for the reply */
    LOCK_PAUSE    /* between two attempts */
};

int rdl_lock_init_mode(struct rdl_lock *l, const struct rdl_lock_mode *mode,
                       const struct rdl_lock_options *opt, struct rdl_conn *conn, const void *name,
                       size_t name_len)
{
    RDL_ASSERT(!rdl_conn_refers_to(conn, l, sizeof *l)); /* an operation is pending in this memory */
    rdl_zero(l, sizeof *l);
    l->mode = mode;
    l->opt = opt;
    l->conn = conn;
    l->name = name;
    l->name_len = (uint8_t)(name_len > RDL_NAME_MAX ? 0 : name_len);
    l->wake_ms = UINT64_MAX;
    l->holder_ms = -2;
    return rdl_options_check(opt, l->name_len);
}

/*
 * Marks the lock as in use at this address. A copy of it would not learn of a release, and would go on with
 * the lease: is_here is 0 there.
 */
static void mark_place(struct rdl_lock *l)
{
    l->use.self = l;
}

static int is_here(const struct rdl_lock *l)
{
    return l->use.self == l;
}

static int finish(struct rdl_lock *l, int result)
{
    l->conn->is_awaited = 0;
    rdl_conn_free_room(l->conn, &l->req);
    if (l->hint != NULL)
        l->hint->ops->end(l->hint, result >= 0);
    l->state = LOCK_IDLE;
    l->result = (int16_t)result;
    l->wake_ms = UINT64_MAX;
    return result;
}

static const struct rdl_bytes no_extra = {NULL, 0};

int rdl_lock_submit(struct rdl_lock *l, const struct rdl_op *op, struct rdl_req *req,
                    const struct rdl_bytes *extra)
{
    char room[RDL_VALUE_MAX];
    struct rdl_command cmd;

    cmd.op = op;
    cmd.name = (struct rdl_bytes){l->name, l->name_len};
    cmd.extra = *extra;
    cmd.until_ms = l->is_adopted ? UINT64_MAX : l->sent_ms + l->ttl_ms; /* adopted: not known */
    cmd.ttl_ms = l->ttl_ms;
    l->mode->value(l, &cmd, room);
    if (req == NULL && cmd.value.len == 0) /* no value yet that identifies the key as ours */
        return RDL_OK;
    return rdl_conn_submit(l->conn, req, &cmd);
}

const struct rdl_op *rdl_lock_op(const struct rdl_lock *l, enum rdl_action action)
{
    const struct rdl_op *const *ops = l->mode->ops;

    if (action == RDL_RELEASE && l->hint != NULL)
        return ops == rdl_plain_ops ? l->hint->ops->release : l->hint->ops->release_strict;
    return ops[action];
}

int rdl_lock_take_other(struct rdl_lock *l)
{
    return l->mode->take_other != NULL && l->mode->take_other(l);
}

void rdl_lock_queue_release(struct rdl_lock *l)
{
    rdl_conn_free_room(l->conn, &l->req);
    do
        rdl_lock_submit(l, rdl_lock_op(l, RDL_RELEASE), NULL, &no_extra);
    while (rdl_lock_take_other(l));
}

/* ---------------------------------------------------------------- plain */

void rdl_plain_value(const struct rdl_lock *l, struct rdl_command *cmd, char room[])
{
    cmd->value = (struct rdl_bytes){room, RDL_VALUE_MAX};
    rdl_token_hex(&l->token, room);
}

int rdl_plain_send(struct rdl_lock *l, uint64_t now_ms)
{
    const struct rdl_op *op = rdl_lock_op(l, (enum rdl_action)l->action);

    if (l->action == RDL_ACQUIRE) {
        rdl_token_next(&l->token);
        if (l->hint != NULL)
            op = l->hint->ops->acquire(l->hint, l->opt, l->tries == 0, l->deadline_ms, now_ms);
    }
    if (l->action != RDL_RELEASE) /* a release stays queued until the key of the last send has expired */
        l->sent_ms = now_ms;
    return rdl_lock_submit(l, op, &l->req, &no_extra);
}

/* Returns the end of validity, which starts before the first send: the server's ttl always starts later. */
RDL_NOINLINE static uint64_t validity_end(const struct rdl_lock *l)
{
    return l->sent_ms + l->ttl_ms - rdl_drift_ms(l->ttl_ms);
}

int rdl_lock_granted(struct rdl_lock *l, int result, uint64_t now_ms)
{
    uint64_t end_ms = validity_end(l);

    if (now_ms < end_ms) {
        l->until_ms = end_ms;
        return result;
    }
    rdl_lock_queue_release(l);
    return RDL_EXPIRED;
}

int rdl_lock_not_granted(struct rdl_lock *l)
{
    if (l->req.answer == RDL_ANSWER_NO) {
        l->holder_ms = l->req.value;
        return RDL_BUSY;
    }
    if (l->req.answer == RDL_ANSWER_UNKNOWN) {
        rdl_lock_queue_release(l);
        return RDL_UNKNOWN;
    }
    return l->req.error;
}

/* Ends the lease, whatever the server still replies, and releases what an extend may have left there. */
RDL_NOINLINE static int lease_lost(struct rdl_lock *l)
{
    l->until_ms = 0;
    rdl_lock_queue_release(l);
    return RDL_LOST;
}

int rdl_lock_extended(struct rdl_lock *l, uint64_t now_ms)
{
    int is_adopted = rdl_is_never(l->until_ms);
    uint64_t end_ms = validity_end(l);
    uint8_t answer = l->req.answer;

    if (now_ms >= l->until_ms || answer == RDL_ANSWER_ABSENT || answer == RDL_ANSWER_NO)
        return lease_lost(l);
    if (answer == RDL_ANSWER_UNKNOWN)
        return RDL_UNKNOWN;
    if (answer != RDL_ANSWER_YES)
        return l->req.error;
    if (is_adopted && now_ms >= end_ms)
        return lease_lost(l);
    if (is_adopted || end_ms > l->until_ms)
        l->until_ms = end_ms;
    l->abort_below_ms = 0;
    return is_adopted ? RDL_ADOPTED : RDL_OK;
}

/*
 * Returns whether a release that found no key of ours leaves the outcome open. That is a repeated one: over a
 * new connection, by the caller, or by another method. Either an earlier copy was executed, or the server
 * lost the key in a restart: its run is not checked. If the lease has expired, or if its expiry is not known
 * (adopted), the reply counts as it is.
 */
static int is_inconclusive(const struct rdl_lock *l, uint64_t now_ms)
{
    return l->req.may_be_second && now_ms < l->use.ended_ms && !rdl_is_never(l->use.ended_ms);
}

int rdl_lock_released(const struct rdl_lock *l, uint64_t now_ms)
{
    uint8_t answer = l->req.answer;

    if (answer == RDL_ANSWER_YES)
        return RDL_OK;
    if (answer == RDL_ANSWER_ERROR)
        return l->req.error;
    if ((answer != RDL_ANSWER_ABSENT && answer != RDL_ANSWER_NO) || is_inconclusive(l, now_ms))
        return RDL_UNKNOWN;
    return answer == RDL_ANSWER_ABSENT ? RDL_EXPIRED : RDL_LOST;
}

int rdl_plain_answer(struct rdl_lock *l, uint64_t now_ms)
{
    if (l->action == RDL_ACQUIRE)
        return l->req.answer == RDL_ANSWER_YES ? rdl_lock_granted(l, RDL_OK, now_ms)
                                               : rdl_lock_not_granted(l);
    return l->action == RDL_EXTEND ? rdl_lock_extended(l, now_ms) : rdl_lock_released(l, now_ms);
}

static const struct rdl_lock_mode plain_mode = {rdl_plain_send, rdl_plain_answer, rdl_plain_value,
                                                rdl_plain_ops, NULL};

int rdl_lock_init(struct rdl_lock *l, const struct rdl_lock_options *opt, struct rdl_conn *conn,
                  const void *name, size_t name_len)
{
    return rdl_lock_init_mode(l, &plain_mode, opt, conn, name, name_len);
}

/* ---------------------------------------------------------------- the states of an operation */

/* Returns the pause before the next attempt: random; while a hint may come, longer. */
static uint64_t pause_of(struct rdl_lock *l, int result, uint64_t now_ms)
{
    const struct rdl_bytes name = {l->name, l->name_len};
    struct rdl_hint *hint = result == RDL_BUSY ? l->hint : NULL;
    uint32_t holder_ms = UINT32_MAX;
    uint32_t pause_ms;

    if (result == RDL_BUSY && (uint64_t)l->holder_ms < UINT32_MAX) {
        holder_ms = (uint32_t)l->holder_ms;
        if (rdl_has_changed_hands(&l->holder_ends_ms, holder_ms, l->conn->rtt_ms, now_ms))
            l->tries = 0; /* it is held for short times */
    }
    if (hint != NULL && hint->is_awake)
        l->tries = 0; /* a wake-up resets the backoff */
    pause_ms = rdl_pause_ms(&l->seed, l->opt->retry_ms, l->tries, holder_ms);
    return hint == NULL ? pause_ms
                        : hint->ops->begin(hint, name, holder_ms, pause_ms, l->deadline_ms, now_ms);
}

/* Waits in a state until at_ms, or until the deadline of the operation. */
RDL_NOINLINE static int wait_until(struct rdl_lock *l, enum lock_state state, uint64_t at_ms)
{
    l->conn->is_awaited = 1;
    l->state = (uint8_t)state;
    l->wake_ms = at_ms < l->deadline_ms ? at_ms : l->deadline_ms;
    return RDL_PENDING;
}

/* Ends a failed attempt: retries after a pause, if there is time and a retry can help. */
static int attempt_failed(struct rdl_lock *l, int result, uint64_t now_ms)
{
    int is_over = now_ms >= l->deadline_ms;
    uint64_t pause_ms;

    rdl_conn_free_room(l->conn, &l->req);
    if (is_over && l->tries > 0 && (result == RDL_UNKNOWN || result == RDL_E_TIMEOUT))
        result = l->result; /* cut short by the deadline: the previous attempt knows more */
    if (result == RDL_BUSY)
        rdl_count_up(&l->refused);
    if (l->action != RDL_ACQUIRE || rdl_is_one_attempt(l->opt) || is_over || rdl_is_permanent(result) ||
        result == RDL_E_NO_ADDRESS || result <= RDL_E_FOREIGN_VALUE)
        return finish(l, result);
    pause_ms = pause_of(l, result, now_ms);
    if (l->tries < UINT8_MAX)
        l->tries++;
    l->result = (int16_t)result;
    return wait_until(l, LOCK_PAUSE, now_ms + pause_ms);
}

static uint64_t tick_conn(const struct rdl_lock *l, uint64_t now_ms)
{
    if (l->action != RDL_EXTEND) /* there is no lease to lose */
        return rdl_conn_tick(l->conn, now_ms);
    return rdl_conn_tick_for_lease(l->conn, rdl_lock_remaining_ms(l, now_ms), now_ms);
}

static int ask(struct rdl_lock *l, uint64_t now_ms)
{
    uint32_t answer_ms = rdl_attempt_ms_for_rtt(l->opt, l->conn->rtt_ms);
    uint64_t conn_ms;
    int rc;

    rdl_conn_set_timeout(l->conn, answer_ms);
    rc = l->mode->send(l, now_ms);
    conn_ms = tick_conn(l, now_ms); /* an adopted lock may be the first to use the conn */
    /* no room until there are replies to other requests, or to the PTTL after our own SET */
    if (rc == RDL_E_FULL && l->action != RDL_ACQUIRE && now_ms < l->deadline_ms)
        return wait_until(l, LOCK_PAUSE, now_ms + RDL_QUEUE_RETRY_MS);
    if (rc != RDL_OK)
        return attempt_failed(l, rc, now_ms);
    if (l->action != RDL_ACQUIRE) /* the conn may be closed: its next tick is at conn_ms */
        return wait_until(l, LOCK_ASKED, conn_ms);
    rdl_count_up(&l->attempts);
    wait_until(l, LOCK_ASKED, now_ms + answer_ms);
    if (l->tries == 0) /* the first attempt always has its time */
        l->wake_ms = now_ms + answer_ms;
    return RDL_PENDING;
}

/*
 * Waits for the conn, then sends the first request. An attempt, and with it validity, begins when the conn is
 * ready, so a slow login does not shorten the lease. An extend or a release waits while the conn is
 * connecting, but is queued on a closed one. An acquire waits for a pause that began before it. The extend of
 * a lease that is held has one attempt for both. A stalled conn takes only releases.
 */
static int step_connect(struct rdl_lock *l, uint64_t now_ms)
{
    uint64_t conn_ms = tick_conn(l, now_ms);
    enum rdl_conn_phase state = rdl_conn_state(l->conn);
    int timeout = state == RDL_CONN_CLOSED ? rdl_conn_error(l->conn) : RDL_E_TIMEOUT;

    if (state == RDL_CONN_CLOSED ? l->action == RDL_ACQUIRE && (int32_t)(l->conn->open_ms - l->begun_ms) < 0
                                 : state != RDL_CONN_READY && state != RDL_CONN_STALLED) {
        if (now_ms >= l->deadline_ms)
            return finish(l, l->until_ms != 0 && now_ms >= l->until_ms ? lease_lost(l) : timeout);
        return wait_until(l, LOCK_CONNECT, conn_ms);
    }
    if (l->action == RDL_ACQUIRE && state != RDL_CONN_READY)
        return attempt_failed(l, rdl_conn_error(l->conn), now_ms);
    if (l->action != RDL_ACQUIRE && rdl_is_never(l->deadline_ms))
        l->deadline_ms = now_ms + rdl_attempt_ms_for_rtt(l->opt, l->conn->rtt_ms);
    return ask(l, now_ms);
}

static int step_asked(struct rdl_lock *l, uint64_t now_ms)
{
    uint64_t conn_ms = tick_conn(l, now_ms);
    int rc;

    if (l->req.answer == RDL_ANSWER_NONE && now_ms < (l->action == RDL_ACQUIRE ? l->wake_ms : l->deadline_ms))
        return l->action == RDL_ACQUIRE ? RDL_PENDING : wait_until(l, LOCK_ASKED, conn_ms);
    rdl_conn_abandon(l->conn, &l->req);
    l->cause = (int8_t)l->req.error;
    /* Only a reply counts, and a longer time contains a pause of the program, too. */
    if (l->cause == RDL_OK && l->action != RDL_RELEASE && l->conn->rtt_is_bound &&
        (uint32_t)(now_ms - l->sent_ms) < l->conn->rtt_ms) {
        l->conn->rtt_ms = (uint32_t)(now_ms - l->sent_ms) + 1;
        l->conn->rtt_is_bound = 0;
    }
    rc = l->mode->answer(l, now_ms);
    if (rc == RDL_PENDING)
        return rc;
    return rc >= 0 ? finish(l, rc) : attempt_failed(l, rc, now_ms);
}

int rdl_lock_step(struct rdl_lock *l, uint64_t now_ms)
{
    RDL_ASSERT(l->state == LOCK_IDLE || l->action == RDL_RELEASE || is_here(l));
    if (l->state != LOCK_IDLE && l->action == RDL_ACQUIRE)
        l->stepped_ms = (uint32_t)now_ms;
    switch ((enum lock_state)l->state) {
    case LOCK_CONNECT:
        return step_connect(l, now_ms);
    case LOCK_ASKED:
        return step_asked(l, now_ms);
    case LOCK_PAUSE:
        if (now_ms < l->wake_ms && (l->hint == NULL || !l->hint->ops->fired(l->hint, now_ms)))
            return RDL_PENDING;
        if (l->action != RDL_ACQUIRE)
            return ask(l, now_ms);
        if (now_ms >= l->deadline_ms)
            return finish(l, l->result);
        return step_connect(l, now_ms);
    case LOCK_IDLE:
        break;
    }
    return l->result;
}

/* Begins an operation whose ttl and deadline are set. */
RDL_NOINLINE static int operation_begin(struct rdl_lock *l, enum rdl_action action, uint64_t now_ms)
{
    l->action = (uint8_t)action;
    l->holder_ms = -2;
    l->cause = RDL_OK;
    l->tries = 0;
    l->state = LOCK_CONNECT;
    return rdl_lock_step(l, now_ms);
}

/* Returns whether a result is an error of the connection or the server, not a result of this layer. */
static int is_error(int result)
{
    return result < 0 && result > RDL_E_NAME;
}

/* Returns whether the last operation was a release that failed: the key may need another release. */
static int is_unreleased(const struct rdl_lock *l)
{
    return l->action == RDL_RELEASE && (l->result == RDL_UNKNOWN || is_error(l->result));
}

int rdl_lock_acquire_begin(struct rdl_lock *l, const uint8_t entropy[RDL_ENTROPY_LEN], uint64_t now_ms)
{
    int rc = rdl_options_check(l->opt, l->name_len);

    RDL_ASSERT(l->state == LOCK_IDLE && l->until_ms <= now_ms && (l->until_ms == 0 || is_here(l)));
    if (l->until_ms != 0 || is_unreleased(l)) /* the key may still be there, and would refuse this acquire */
        rdl_lock_queue_release(l);
    l->until_ms = 0;
    l->is_adopted = 0;
    l->abort_below_ms = 0;
    if (rc != RDL_OK)
        return finish(l, rc);
    l->attempts = l->refused = 0;
    l->begun_ms = (uint32_t)now_ms;
    rdl_token_begin(&l->token, entropy);
    l->seed = rdl_token_seed(entropy);
    rdl_conn_seed(l->conn, l->seed);
    mark_place(l);
    l->ttl_ms = rdl_first_ttl_ms(l->opt);
    l->deadline_ms = rdl_give_up_ms(l->opt, rdl_conn_connect_ms(l->conn), now_ms);
    return operation_begin(l, RDL_ACQUIRE, now_ms);
}

/*
 * Returns the deadline of an extend: one attempt, so that the holder learns of a loss in time. An adopted
 * lease has none yet: it waits for a connection first, because nothing depends on it before it is confirmed.
 */
static uint64_t extend_deadline(const struct rdl_lock *l, uint64_t now_ms)
{
    uint64_t end_ms = now_ms + rdl_attempt_ms_for_rtt(l->opt, l->conn->rtt_ms);

    return l->until_ms < end_ms || rdl_is_never(l->until_ms) ? l->until_ms : end_ms;
}

int rdl_lock_extend_begin(struct rdl_lock *l, uint32_t ttl_ms, uint64_t now_ms)
{
    uint32_t left_ms = rdl_lock_remaining_ms(l, now_ms);

    RDL_ASSERT(l->state == LOCK_IDLE);
    if (rdl_ttl_check(l->opt, ttl_ms) != RDL_OK)
        return RDL_E_TTL;
    if (l->until_ms <= now_ms)
        return finish(l, l->until_ms != 0 ? lease_lost(l) : RDL_LOST);
    if (l->abort_below_ms == 0) {
        l->abort_below_ms = left_ms / 2;
    } else if (left_ms < l->abort_below_ms) {
        rdl_conn_abort_if_stalled(l->conn, rdl_attempt_ms_for_rtt(l->opt, l->conn->rtt_ms));
        l->abort_below_ms = left_ms / 2;
    }
    l->ttl_ms = rdl_ttl_longest(ttl_ms, l->sent_ms + l->ttl_ms, now_ms);
    l->sent_ms = now_ms; /* the key ends by sent_ms + ttl_ms, also if nothing is sent */
    l->deadline_ms = extend_deadline(l, now_ms);
    return operation_begin(l, RDL_EXTEND, now_ms);
}

int rdl_lock_release_begin(struct rdl_lock *l, uint64_t now_ms)
{
    RDL_ASSERT(l->state == LOCK_IDLE && (l->until_ms == 0 || is_here(l)));
    l->req.may_be_second = l->until_ms == 0;
    if (l->until_ms != 0)
        l->use.ended_ms = l->until_ms;
    else if (!is_unreleased(l))
        return finish(l, RDL_EXPIRED);
    l->until_ms = 0;
    l->deadline_ms = UINT64_MAX;
    return operation_begin(l, RDL_RELEASE, now_ms);
}

void rdl_lock_cancel(struct rdl_lock *l)
{
    int needs_release = l->until_ms != 0 || (l->action == RDL_RELEASE && l->state != LOCK_IDLE);

    RDL_ASSERT(l->until_ms == 0 || is_here(l));
    if (l->state == LOCK_ASKED) {
        rdl_conn_abandon(l->conn, &l->req);
        if (l->action == RDL_ACQUIRE)
            needs_release = l->req.answer == RDL_ANSWER_YES || l->req.answer == RDL_ANSWER_UNKNOWN;
        else if (l->action == RDL_RELEASE) /* it is queued and stays so */
            needs_release = rdl_lock_take_other(l);
    }
    if (needs_release)
        rdl_lock_queue_release(l);
    l->until_ms = 0;
    finish(l, RDL_EXPIRED);
}

/* Until the first extend it is not known how long an adopted lease lasts: neither held yet, nor over. */
int rdl_lock_adopt(struct rdl_lock *l, const char *token_hex, size_t len)
{
    struct rdl_token token;

    RDL_ASSERT(l->state == LOCK_IDLE);
    if (l->name_len < 1) /* a release has no ttl, and an extend has its own */
        return RDL_E_NAME;
    /* a legacy value is a deadline, not a token */
    if (l->mode->take_other != NULL || rdl_token_from_hex(&token, token_hex, len) != RDL_OK)
        return RDL_E_TOKEN;
    if (l->until_ms != 0 && !rdl_is_same(&token, &l->token, sizeof token))
        rdl_lock_queue_release(l);
    l->token = token;
    l->is_adopted = 1;
    mark_place(l);
    l->until_ms = UINT64_MAX;
    l->abort_below_ms = 0;
    l->sent_ms = 0;
    l->ttl_ms = rdl_first_ttl_ms(l->opt);
    return RDL_OK;
}

/* ---------------------------------------------------------------- queries */

size_t rdl_lock_value(const struct rdl_lock *l, char out[RDL_TOKEN_TEXT_MAX])
{
    struct rdl_command cmd = {.op = &rdl_op_acquire};

    l->mode->value(l, &cmd, out);
    rdl_copy(out, cmd.value.data, cmd.value.len);
    out[cmd.value.len] = '\0';
    return cmd.value.len;
}

void rdl_lock_token(const struct rdl_lock *l, char out[RDL_TOKEN_TEXT_MAX])
{
    (void)rdl_lock_value(l, out);
}

uint32_t rdl_lock_remaining_ms(const struct rdl_lock *l, uint64_t now_ms)
{
    RDL_ASSERT(l->until_ms == 0 || is_here(l));
    if (rdl_is_never(l->until_ms) || l->until_ms <= now_ms || !is_here(l))
        return 0;
    return (uint32_t)(l->until_ms - now_ms);
}

uint64_t rdl_lock_until_ms(const struct rdl_lock *l)
{
    RDL_ASSERT(l->until_ms == 0 || is_here(l));
    return rdl_is_never(l->until_ms) ? 0 : l->until_ms;
}

uint64_t rdl_lock_wake_ms(const struct rdl_lock *l)
{
    return l->wake_ms;
}

int64_t rdl_lock_holder_ms(const struct rdl_lock *l)
{
    return l->holder_ms;
}

struct rdl_stats rdl_lock_stats(const struct rdl_lock *l)
{
    return (struct rdl_stats){l->attempts, l->refused, l->stepped_ms - l->begun_ms};
}

int rdl_lock_error(const struct rdl_lock *l)
{
    if (l->result != RDL_UNKNOWN)
        return is_error(l->result) ? l->result : RDL_OK;
    return l->cause != RDL_OK ? l->cause : RDL_E_CLOSED; /* the reply came after a connection had ended */
}

int rdl_lock_is_idle(const struct rdl_lock *l)
{
    return rdl_conn_is_idle(l->conn);
}
