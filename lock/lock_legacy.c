/* SPDX-License-Identifier: MIT */
/*
 * lock_legacy.c - the old protocol: SETNX key <Unix seconds at which the lease ends, plus 1>, and taking over
 * a key whose time has passed. DESIGN.md, section 4, has the reasons.
 *
 * The clock is the server's TIME, with an error of one round trip: its upper bound to write a deadline, its
 * lower bound to test one. A takeover compares and sets in one step, by script or under WATCH. GETSET is used
 * only where neither exists.
 *
 * After an extend without a reply, two values may be ours: the known one (lock.token) and the one that was to
 * replace it (other). The next extend sends the same replacement again: a yes or a no proves that the first
 * is gone. The value only changes from the first to the second, however late a request is executed. So they
 * are tried in that order, and there are never more than two.
 */
#include "lock/lock_legacy.h"

#include "lock/lock_private.h"
#include "resp/resp_bytes.h"

/* What was sent last, for an acquire, an extend, a release: an index of answers[]. */
enum phase { TIME, SETNX, TAKE_OVER, GETSET, REPLACE, SETTLE, LOOK, RELEASE, DELETE, LOOK_AFTER, REMOVE };

enum peer { PEER_FOREIGN, PEER_LIVE, PEER_EXPIRED };

#define ENDLESS_S 2147483649u /* 2^31 + 1: redis-py's lock without a timeout */

enum { FRACTION = 9 }; /* digits after the point: they identify this holder */

#define FAR_S         86400  /* s: no deadline is further away than a day, or ten of our own leases */
#define CLOCK_OLD_MS  600000 /* older: an extend reads the clock again; its error grows by 1 % of its age */
#define CLOCK_DEAD_MS 86400000

static const struct rdl_bytes no_bytes = {NULL, 0};

/* Returns the legacy lock that contains `lock`: every lock with this mode is part of one. */
static struct rdl_lock_legacy *legacy_of(struct rdl_lock *lock)
{
    return (struct rdl_lock_legacy *)lock;
}

/* ---------------------------------------------------------------- the server's clock */

/* Returns the latest that the server's time can be in add_ms from now, in s. */
static uint32_t latest_s(const struct rdl_lock_legacy *l, uint64_t now_ms, uint32_t add_ms)
{
    uint32_t since = (uint32_t)(now_ms - l->clock_at_ms);
    uint32_t ms = l->clock_ms + since + since / 100 + l->clock_error_ms + add_ms % 1000;

    return l->clock_s + add_ms / 1000 + ms / 1000;
}

/* Returns the earliest that the server's time can be now, in s. behind_ms receives the rest, in ms. */
static uint32_t earliest_s(const struct rdl_lock_legacy *l, uint64_t now_ms, uint32_t *behind_ms)
{
    uint32_t since = (uint32_t)(now_ms - l->clock_at_ms);
    uint32_t ms = l->clock_ms + since - since / 100;

    *behind_ms = ms % 1000;
    return l->clock_s + ms / 1000;
}

static int clock_is_older(const struct rdl_lock_legacy *l, uint64_t now_ms, uint32_t age_ms)
{
    return l->clock_at_ms == 0 || now_ms - l->clock_at_ms > age_ms;
}

static void read_clock(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    l->clock_s = (uint32_t)((uint64_t)l->lock.req.value >> 10);
    l->clock_ms = (uint16_t)(l->lock.req.value & 1023);
    l->clock_error_ms = (uint32_t)(now_ms - l->lock.sent_ms) + 1;
    l->clock_at_ms = now_ms;
}

void rdl_lock_set_clock(struct rdl_lock_legacy *l, uint32_t wall_s, uint32_t max_skew_ms, uint64_t now_ms)
{
    uint32_t back_s = max_skew_ms / 1000 + 1;

    l->clock_at_ms = 0;
    if (wall_s < RDL_PLAUSIBLE_S) /* never set: other clients would read a deadline by this clock as past */
        return;
    l->clock_s = wall_s - back_s;
    l->clock_ms = 0;
    l->clock_error_ms = max_skew_ms + back_s * 1000 + 1000;
    l->clock_at_ms = now_ms;
}

/* ---------------------------------------------------------------- values */

/* Writes a value, SECONDS.FRACTION: a number for every client, and unique to us. Returns its length. */
static uint8_t make_value(struct rdl_lock_legacy *l, char out[RDL_TOKEN_LEN], uint64_t now_ms,
                          uint32_t ttl_ms)
{
    uint32_t identity = rdl_random(&l->lock.seed);
    size_t n = rdl_dec_u32(out, latest_s(l, now_ms, ttl_ms) + 1);
    size_t i;

    if (l->kind == RDL_LEGACY_INTEGER)
        return (uint8_t)n;
    out[n++] = '.';
    for (i = FRACTION; i > 0; i--) {
        out[n + i - 1] = (char)('0' + identity % 10);
        identity /= 10;
    }
    return (uint8_t)(n + FRACTION);
}

/* Classifies the value found: expired only by the earliest time. PEER_LIVE sets holder_ms (-1: no end). */
static enum peer classify_peer(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    uint32_t behind_ms;
    uint32_t now_s = earliest_s(l, now_ms, &behind_ms);
    uint32_t far_s = l->lock.ttl_ms / 100 > FAR_S ? l->lock.ttl_ms / 100 : FAR_S;
    uint32_t until_s = rdl_legacy_seconds(l->other, l->lock.req.text_len);

    if (until_s == ENDLESS_S) {
        l->lock.holder_ms = -1;
        return PEER_LIVE;
    }
    if (until_s < RDL_PLAUSIBLE_S || (until_s > now_s && until_s - now_s > far_s))
        return PEER_FOREIGN;
    if (until_s < now_s)
        return PEER_EXPIRED;
    /* a deadline has passed only when the next second begins */
    l->lock.holder_ms = (int64_t)(until_s - now_s + 1) * 1000 - behind_ms;
    return PEER_LIVE;
}

/*
 * Returns whether the value found is a waiting client's: a deadline no earlier than the end of our lease, by
 * the latest that the server's time can be. If no ttl is shorter than ours, no client has taken it over yet.
 */
static int is_waiters(struct rdl_lock_legacy *l, uint64_t now_ms, uint64_t end_ms)
{
    if (l->lock.req.answer != RDL_ANSWER_YES || now_ms >= end_ms || classify_peer(l, now_ms) != PEER_LIVE)
        return 0;
    return latest_s(l, now_ms, (uint32_t)(end_ms - now_ms)) <=
           rdl_legacy_seconds(l->other, l->lock.req.text_len);
}

/* ---------------------------------------------------------------- the value that may be ours as well */

static struct rdl_bytes known(const struct rdl_lock_legacy *l)
{
    return (struct rdl_bytes){l->lock.token.bytes, l->value_len};
}

static struct rdl_bytes other(const struct rdl_lock_legacy *l)
{
    return (struct rdl_bytes){l->other, l->other_len};
}

static int take_other(struct rdl_lock_legacy *l)
{
    if (l->other_len == 0)
        return 0;
    rdl_copy(l->lock.token.bytes, l->other, l->other_len);
    l->value_len = l->other_len;
    l->other_len = 0;
    return 1;
}

/* ---------------------------------------------------------------- requests */

static int legacy_ask(struct rdl_lock_legacy *l, enum phase phase, const struct rdl_op *op,
                      struct rdl_bytes extra)
{
    int rc = rdl_lock_submit(&l->lock, op, &l->lock.req, &extra);

    l->phase = (uint8_t)phase;
    return rc == RDL_OK ? RDL_PENDING : rc;
}

/* Sends a request as legacy_ask(), with a value that is not the known one. */
static int ask_with(struct rdl_lock_legacy *l, enum phase phase, const struct rdl_op *op,
                    struct rdl_bytes value, struct rdl_bytes extra)
{
    const struct rdl_bytes name = {l->lock.name, l->lock.name_len};
    const struct rdl_command cmd = {op, name, value, extra, l->lock.sent_ms + l->lock.ttl_ms, 0};
    int rc = rdl_conn_submit(l->lock.conn, &l->lock.req, &cmd);

    l->phase = (uint8_t)phase;
    return rc == RDL_OK ? RDL_PENDING : rc;
}

static int ask_what_is_there(struct rdl_lock_legacy *l, enum phase phase)
{
    l->other_len = 0;
    l->lock.req.text = l->other;
    l->lock.req.text_len = 0;
    return legacy_ask(l, phase, &rdl_op_found, no_bytes);
}

/* Sends SETNX: validity counts from here. Every request has a new value. */
static int ask_setnx(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    l->lock.sent_ms = now_ms;
    l->lock.req.text = l->other;
    l->lock.req.text_len = 0;
    l->value_len = make_value(l, (char *)l->lock.token.bytes, now_ms, l->lock.ttl_ms);
    return legacy_ask(l, SETNX, &rdl_op_setnx, no_bytes);
}

static int take_over(struct rdl_lock_legacy *l, enum phase phase, const struct rdl_op *op, uint64_t now_ms)
{
    const struct rdl_bytes found = {l->other, l->lock.req.text_len};

    if (now_ms >= l->lock.wake_ms) /* no time for another reply */
        return RDL_BUSY;
    l->lock.sent_ms = now_ms;
    l->value_len = make_value(l, (char *)l->lock.token.bytes, now_ms, l->lock.ttl_ms);
    return legacy_ask(l, phase, op, found);
}

/* Replaces our value. ttl_ms is no less than the lease has left, so the deadline never moves back. */
static int ask_extend(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    enum phase phase = l->other_len > 0 ? SETTLE : REPLACE;

    if (phase == REPLACE) {
        l->lock.sent_ms = now_ms;
        l->other_len = make_value(l, l->other, now_ms, l->lock.ttl_ms);
    }
    return ask_with(l, phase, &rdl_op_replace, other(l), known(l));
}

static int first_request(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    if (l->lock.action == RDL_RELEASE)
        return legacy_ask(l, RELEASE, rdl_lock_op(&l->lock, RDL_RELEASE), no_bytes);
    if (l->lock.action == RDL_EXTEND && !clock_is_older(l, now_ms, CLOCK_OLD_MS))
        return ask_extend(l, now_ms);
    if (l->lock.action == RDL_ACQUIRE)
        l->value_len = l->other_len = 0; /* no value is ours to release yet */
    return legacy_ask(l, TIME, &rdl_op_time, no_bytes);
}

static int legacy_send(struct rdl_lock *lock, uint64_t now_ms)
{
    struct rdl_lock_legacy *l = legacy_of(lock);
    int rc;

    lock->sent_ms = now_ms;
    if (lock->action == RDL_RELEASE && now_ms >= lock->use.ended_ms)
        return RDL_EXPIRED; /* another client may have taken it over by now */
    rc = first_request(l, now_ms);
    return rc == RDL_PENDING ? RDL_OK : rc;
}

/* ---------------------------------------------------------------- answers */

/* Returns whether the server refuses this request. */
static int is_refused(const struct rdl_lock_legacy *l)
{
    return l->lock.req.answer == RDL_ANSWER_ERROR &&
           (l->lock.req.error == RDL_E_UNSUPPORTED || l->lock.req.error == RDL_E_PERM);
}

/* Returns whether the key has a value of another type. */
static int is_other_type(const struct rdl_lock_legacy *l)
{
    return l->lock.req.answer == RDL_ANSWER_ERROR && l->lock.req.error == RDL_E_WRONGTYPE;
}

static int legacy_not_granted(struct rdl_lock_legacy *l)
{
    return is_other_type(l) ? RDL_E_FOREIGN_VALUE : rdl_lock_not_granted(&l->lock);
}

/* Takes the server's time or, if it refuses TIME, the clock that was set. Then sends the next request. */
static int answer_time(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    int has_clock = l->lock.req.answer == RDL_ANSWER_YES;

    if (has_clock)
        read_clock(l, now_ms);
    else
        has_clock = is_refused(l) && !clock_is_older(l, now_ms, CLOCK_DEAD_MS);
    if (l->lock.action == RDL_ACQUIRE && has_clock)
        return now_ms < l->lock.wake_ms ? ask_setnx(l, now_ms) : RDL_E_TIMEOUT;
    if (l->lock.action == RDL_ACQUIRE)
        return legacy_not_granted(l);
    return has_clock && now_ms < l->lock.until_ms ? ask_extend(l, now_ms)
                                                  : rdl_lock_extended(&l->lock, now_ms);
}

/* Decides what to do about the value that refused our SETNX. */
static int contend(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    int64_t lives_ms = l->lock.req.value;
    enum peer peer = classify_peer(l, now_ms);

    if (peer == PEER_EXPIRED)
        return take_over(l, TAKE_OVER, &rdl_op_replace, now_ms);
    if (peer == PEER_LIVE) {
        if (l->lock.holder_ms < 0)
            l->lock.holder_ms = lives_ms;
        return RDL_BUSY;
    }
    if (lives_ms == -1)
        return RDL_E_FOREIGN_VALUE;
    l->lock.holder_ms =
        lives_ms; /* a plain lock expires, for example; -2: it came just now, or is not known */
    return RDL_BUSY;
}

static int answer_setnx(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    if (l->lock.req.answer == RDL_ANSWER_YES)
        return rdl_lock_granted(&l->lock, RDL_OK, now_ms);
    if (l->lock.req.answer != RDL_ANSWER_UNKNOWN) /* otherwise the previous attempt knows more */
        l->lock.holder_ms = -2;
    if (l->lock.req.answer == RDL_ANSWER_NO)
        return contend(l, now_ms);
    if (l->lock.req.answer == RDL_ANSWER_ABSENT) /* released in between: try again at once */
        return now_ms < l->lock.wake_ms ? ask_setnx(l, now_ms) : RDL_BUSY;
    return legacy_not_granted(l);
}

static int answer_take_over(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    if (l->lock.req.answer == RDL_ANSWER_YES)
        return rdl_lock_granted(&l->lock, RDL_RECOVERED, now_ms);
    if (is_refused(l) && !rdl_conn_is_switched_off(l->lock.conn, &rdl_op_replace))
        return take_over(l, GETSET, &rdl_op_getset, now_ms);
    if (l->lock.req.answer == RDL_ANSWER_NO || l->lock.req.answer == RDL_ANSWER_ABSENT)
        return RDL_BUSY; /* another client was faster */
    return legacy_not_granted(l);
}

/* Evaluates GETSET by the value that was overwritten: the one read before may have changed in between. */
static int answer_getset(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    if (l->lock.req.answer == RDL_ANSWER_YES)
        return rdl_lock_granted(&l->lock, RDL_OK, now_ms);
    if (l->lock.req.answer == RDL_ANSWER_NO)
        return classify_peer(l, now_ms) == PEER_EXPIRED ? rdl_lock_granted(&l->lock, RDL_RECOVERED, now_ms)
                                                        : RDL_BUSY;
    return legacy_not_granted(l);
}

/* Evaluates the replacement of our value: the key has the new value, or may have it, or has not. */
static int answer_replace(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    if (is_other_type(l))
        l->lock.req.answer = RDL_ANSWER_NO;
    if (l->lock.req.answer == RDL_ANSWER_YES)
        take_other(l);
    else if (l->lock.req.answer != RDL_ANSWER_UNKNOWN)
        l->other_len = 0;
    if (l->lock.req.answer == RDL_ANSWER_NO && l->kind == RDL_LEGACY_SHORTEST && now_ms < l->lock.until_ms)
        return ask_what_is_there(l, LOOK);
    return rdl_lock_extended(&l->lock, now_ms);
}

/* Evaluates the repeated replacement. After a yes or a no, only the second value can be ours. */
static int answer_settle(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    if (is_other_type(l))
        l->lock.req.answer = RDL_ANSWER_NO;
    if (l->lock.req.answer == RDL_ANSWER_YES || l->lock.req.answer == RDL_ANSWER_NO) {
        take_other(l);
        if (now_ms < l->lock.until_ms)
            return ask_extend(l, now_ms);
    }
    return rdl_lock_extended(&l->lock, now_ms);
}

/* Evaluates the value over ours. The lease continues if it is a waiting client's; otherwise it is lost. */
static int answer_look(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    if (is_waiters(l, now_ms, l->lock.until_ms))
        return RDL_OVERWRITTEN;
    if (l->lock.req.answer == RDL_ANSWER_YES)
        l->lock.req.answer = RDL_ANSWER_NO;
    return rdl_lock_extended(&l->lock, now_ms);
}

/* Returns whether no other client can hold the lock yet when a request arrives. */
static int is_early(const struct rdl_lock_legacy *l, uint64_t now_ms)
{
    return now_ms + 2 * (uint64_t)rdl_attempt_ms_for_rtt(l->lock.opt, l->lock.conn->rtt_ms) <
           l->lock.use.ended_ms;
}

/* Evaluates, for a release, the value found in place of ours: a waiting client's, or a later holder's. */
static int answer_look_after(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    const struct rdl_bytes found = {l->other, l->lock.req.text_len};

    if (l->lock.req.answer != RDL_ANSWER_YES && l->lock.req.answer != RDL_ANSWER_NO &&
        l->lock.req.answer != RDL_ANSWER_ABSENT)
        return RDL_OVERWRITTEN; /* no reply */
    if (!is_waiters(l, now_ms, l->lock.use.ended_ms))
        return RDL_LOST;
    if (l->kind != RDL_LEGACY_SHORTEST || !is_early(l, now_ms))
        return RDL_OVERWRITTEN;
    return ask_with(l, REMOVE, &rdl_op_release_once, found, no_bytes);
}

static int answer_remove(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    uint8_t answer = l->lock.req.answer;

    (void)now_ms;
    if (answer == RDL_ANSWER_YES)
        return RDL_REMOVED;
    if (answer == RDL_ANSWER_ABSENT) /* deleted by a client that held it, or that did not */
        return RDL_LOST;
    return answer == RDL_ANSWER_UNKNOWN ? RDL_UNKNOWN : RDL_OVERWRITTEN;
}

/* Takes the second value, when the first was not there; not if whole seconds may be another client's. */
static int is_other_tried(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    return (l->kind != RDL_LEGACY_INTEGER || (is_early(l, now_ms) && !l->lock.req.may_be_second)) &&
           take_other(l);
}

/*
 * Continues a release that did not find our value. If it is a repeated one, an earlier copy may have freed
 * the lock. Then the value may be the next holder's: it is not read, nor taken for a waiting client's.
 */
static int not_ours(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    int may_be_second = l->lock.req.may_be_second;

    if (is_other_tried(l, now_ms))
        return legacy_ask(l, RELEASE, rdl_lock_op(&l->lock, RDL_RELEASE), no_bytes);
    if (may_be_second && l->other_len > 0) /* the second value may be there, and was not tried */
        return RDL_UNKNOWN;
    return may_be_second || now_ms >= l->lock.use.ended_ms ? rdl_lock_released(&l->lock, now_ms)
                                                           : ask_what_is_there(l, LOOK_AFTER);
}

/* Evaluates a release. If no method compares, sends DEL, while no other client can hold the lock. */
static int answer_release(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    if (is_refused(l) && is_early(l, now_ms) &&
        !rdl_conn_is_switched_off(l->lock.conn, &rdl_op_release_strict))
        return legacy_ask(l, DELETE, &rdl_op_delete, no_bytes);
    if (l->lock.req.answer == RDL_ANSWER_NO)
        return not_ours(l, now_ms);
    if (l->lock.req.answer != RDL_ANSWER_ABSENT && rdl_lock_released(&l->lock, now_ms) != RDL_OK &&
        rdl_lock_take_other(&l->lock))
        rdl_lock_queue_release(&l->lock); /* the release of the first is pending already */
    return rdl_lock_released(&l->lock, now_ms);
}

static int answer_delete(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    return rdl_lock_released(&l->lock, now_ms);
}

typedef int answer_fn(struct rdl_lock_legacy *l, uint64_t now_ms);

static int legacy_answer(struct rdl_lock *lock, uint64_t now_ms)
{
    static answer_fn *const answers[] = {
        [TIME] = answer_time,           [SETNX] = answer_setnx,
        [TAKE_OVER] = answer_take_over, [GETSET] = answer_getset,
        [REPLACE] = answer_replace,     [SETTLE] = answer_settle,
        [LOOK] = answer_look,           [RELEASE] = answer_release,
        [DELETE] = answer_delete,       [LOOK_AFTER] = answer_look_after,
        [REMOVE] = answer_remove,
    };
    struct rdl_lock_legacy *l = legacy_of(lock);

    return answers[l->phase](l, now_ms);
}

/*
 * Sets the value; none, if whole seconds got no reply: they may be another client's. A value of whole seconds
 * is only a time. Another client may write the same one later, so its release is not repeated after an error.
 */
static void legacy_value(const struct rdl_lock *lock, struct rdl_command *cmd, char room[])
{
    const struct rdl_lock_legacy *l = (const struct rdl_lock_legacy *)lock;

    cmd->value = (struct rdl_bytes){room, l->value_len};
    if (l->kind == RDL_LEGACY_INTEGER && lock->action == RDL_ACQUIRE &&
        lock->req.answer == RDL_ANSWER_UNKNOWN)
        cmd->value.len = 0;
    rdl_copy(room, lock->token.bytes, cmd->value.len);
    if (cmd->op->must_send && cmd->value.len <= RDL_DEC_MAX)
        cmd->ttl_ms = 0;
}

/* Takes the other value, unless it is whole seconds, which may be another client's. */
static int legacy_take_other(struct rdl_lock *lock)
{
    return legacy_of(lock)->kind != RDL_LEGACY_INTEGER && take_other(legacy_of(lock));
}

static const struct rdl_op *const strict_ops[] = {NULL, NULL, &rdl_op_release_strict};
static const struct rdl_lock_mode legacy = {legacy_send, legacy_answer, legacy_value, strict_ops,
                                            legacy_take_other};

int rdl_lock_init_legacy(struct rdl_lock_legacy *l, const struct rdl_lock_options *opt, struct rdl_conn *conn,
                         const void *name, size_t name_len, enum rdl_legacy kind)
{
    rdl_zero(l, sizeof *l);
    l->kind = (uint8_t)kind;
    return rdl_lock_init_mode(&l->lock, &legacy, opt, conn, name, name_len);
}
