/* SPDX-License-Identifier: MIT */
/*
 * lock_legacy.c - the old protocol: SETNX key <Unix seconds at which the lease ends, plus 1>, and taking
 * over a key whose time has passed.
 *
 * It is kept for fleets that speak it. What a plain lock leaves to the server, the end of the lease, is here
 * a number that everybody compares with a clock, so all clocks must mean the same: ours is the server's
 * TIME with an error of one round trip, its upper bound where we write a deadline and its lower bound where
 * we test one.
 *
 * The historic way to take over, GETSET, is unsafe even with perfect clocks: a loser whose GETSET comes
 * late overwrites the winner's deadline with an older one, and a third takes the lock while the winner
 * holds it. Ours compares and sets in one (a script, else WATCH): losers never write. The value found is
 * the proof that its deadline has passed, however old our idea of the time is. Plain GETSET is used only
 * where neither exists, and is best effort.
 *
 * An extend without an answer leaves two values, and both are ours: the one that was known (token) and the
 * one that was to replace it (peer). The next extend settles which: the same replacement once more, and after
 * a yes or a no the first is gone. Values only go from the first to the second, however late a request is
 * executed, so they are tried in that order, and are never more than two.
 *
 * A value that is no deadline of this kind (words, other units, a plain token, another type) is never taken
 * over, nor the 2147483649 of a holder without end. The other way round nothing protects us from a historic
 * peer: it reads a plain token as a number, mostly a small one, and takes the lock away.
 *
 * One server only: over several, losers would spoil deadlines on some of them.
 */
#include "lock/lock_private.h"
#include "resp/resp_bytes.h"

enum phase { TIME, SETNX, REPLACE, GETSET, SETTLE, LOOK, REMOVE, DONE };

enum peer { PEER_FOREIGN, PEER_LIVE, PEER_EXPIRED };

#define ENDLESS_S 2147483649u /* 2^31 + 1: redis-py's lock without a timeout */

enum { FRACTION = 9 }; /* digits behind the point: who we are */

#define PLAUSIBLE_S   1000000000 /* no deadline is older than 2001, nor a clock that is set */
#define FAR_S         86400      /* nor further away than a day, or ten of our own leases */
#define CLOCK_OLD_MS  600000     /* an extension reads the clock again: its error grows by 1 % of its age */
#define CLOCK_DEAD_MS 86400000

static const struct rdl_bytes no_bytes = {NULL, 0};

/* Whoever has this mode was set up as one. */
static struct rdl_lock_legacy *legacy_of(struct rdl_lock *lock)
{
    return (struct rdl_lock_legacy *)lock;
}

/* ---------------------------------------------------------------- the server's clock */

/* The server's time in seconds, add_ms from now; the latest it can be, or the earliest. */
static uint32_t latest_s(const struct rdl_lock_legacy *l, uint64_t now_ms, uint32_t add_ms)
{
    uint32_t since = (uint32_t)(now_ms - l->clock_at_ms);
    uint32_t ms = l->clock_ms + since + since / 100 + l->clock_error_ms + add_ms % 1000;

    return l->clock_s + add_ms / 1000 + ms / 1000;
}

/* And the milliseconds behind it. */
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
    if (wall_s < PLAUSIBLE_S) /* never set: others would take a deadline by it for one that has passed */
        return;
    l->clock_s = wall_s - back_s;
    l->clock_ms = 0;
    l->clock_error_ms = max_skew_ms + back_s * 1000 + 1000;
    l->clock_at_ms = now_ms;
}

/* ---------------------------------------------------------------- values */

/* `<seconds>.<nine digits>`: numeric for every peer, and ours alone. Returns its length. */
static uint8_t make_value(struct rdl_lock_legacy *l, char out[RDL_TOKEN_LEN], uint64_t now_ms,
                          uint32_t ttl_ms)
{
    uint32_t identity = rdl_backoff_ms(&l->lock.seed, 999999999, 999999999, 0);
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

/* The seconds of a value that is digits, maybe with a fraction; 0 for anything else. */
static uint32_t seconds_of(const char *text, size_t len)
{
    uint32_t s = 0;
    size_t i;

    for (i = 0; i < len && rdl_is_digit(text[i]); i++) {
        if (i >= RDL_DEC_MAX - 1 && s > (UINT32_MAX - 9) / 10)
            return 0;
        s = s * 10 + (uint32_t)(text[i] - '0');
    }
    if (i == 0 || len >= RDL_PEER_MAX || (i < len && text[i] != '.'))
        return 0;
    for (i++; i < len; i++) {
        if (!rdl_is_digit(text[i]))
            return 0;
    }
    return s;
}

/* Expired only if it is so by the earliest the server's clock can show; else for how long (-1: for ever). */
static enum peer classify_peer(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    uint32_t behind_ms;
    uint32_t now_s = earliest_s(l, now_ms, &behind_ms);
    uint32_t far_s = l->lock.ttl_ms / 100 > FAR_S ? l->lock.ttl_ms / 100 : FAR_S;
    uint32_t until_s = seconds_of(l->peer, l->lock.req.text_len);

    if (until_s == ENDLESS_S) {
        l->lock.holder_ms = -1;
        return PEER_LIVE;
    }
    if (until_s < PLAUSIBLE_S || (until_s > now_s && until_s - now_s > far_s))
        return PEER_FOREIGN;
    if (until_s < now_s)
        return PEER_EXPIRED;
    /* It is past in the next second only. */
    l->lock.holder_ms = (int64_t)(until_s - now_s + 1) * 1000 - behind_ms;
    return PEER_LIVE;
}

/*
 * What stands there is a deadline no earlier than the end of our lease, by the latest the server's clock can
 * show: if all ttls are as long as ours, nobody has taken it over yet.
 */
static int is_waiters(struct rdl_lock_legacy *l, uint64_t now_ms, uint64_t end_ms)
{
    if (l->lock.req.answer != RDL_ANSWER_YES || now_ms >= end_ms || classify_peer(l, now_ms) != PEER_LIVE)
        return 0;
    return latest_s(l, now_ms, (uint32_t)(end_ms - now_ms)) <= seconds_of(l->peer, l->lock.req.text_len);
}

/* ---------------------------------------------------------------- the value that may be ours as well */

static struct rdl_bytes known(const struct rdl_lock_legacy *l)
{
    const struct rdl_bytes value = {l->lock.token.bytes, l->value_len};

    return value;
}

static struct rdl_bytes other(const struct rdl_lock_legacy *l)
{
    const struct rdl_bytes value = {l->peer, l->other_len};

    return value;
}

static int take_other(struct rdl_lock_legacy *l)
{
    if (l->other_len == 0)
        return 0;
    rdl_copy(l->lock.token.bytes, l->peer, l->other_len);
    l->value_len = l->other_len;
    l->other_len = 0;
    return 1;
}

/* ---------------------------------------------------------------- requests */

static int legacy_ask(struct rdl_lock_legacy *l, enum phase phase, const struct rdl_op *op,
                      struct rdl_bytes extra)
{
    int rc = rdl_lock_submit(&l->lock, op, &l->lock.req, extra);

    l->phase = (uint8_t)phase;
    return rc == RDL_OK ? RDL_PENDING : rc;
}

/* The same with a value that is not the known one. */
static int ask_with(struct rdl_lock_legacy *l, enum phase phase, const struct rdl_op *op,
                    struct rdl_bytes value, struct rdl_bytes extra)
{
    struct rdl_command cmd;
    int rc;

    rdl_zero(&cmd, sizeof cmd);
    cmd.op = op;
    cmd.name.data = l->lock.name;
    cmd.name.len = l->lock.name_len;
    cmd.value = value;
    cmd.extra = extra;
    cmd.until_ms = l->lock.sent_ms + l->lock.ttl_ms;
    cmd.ttl_ms = l->lock.ttl_ms;
    rc = rdl_conn_submit(l->lock.conn, &l->lock.req, &cmd);
    l->phase = (uint8_t)phase;
    return rc == RDL_OK ? RDL_PENDING : rc;
}

static int ask_what_is_there(struct rdl_lock_legacy *l)
{
    l->other_len = 0;
    l->lock.req.text = l->peer;
    l->lock.req.text_len = 0;
    return legacy_ask(l, LOOK, &rdl_op_found, no_bytes);
}

/* Ask for the lock itself: validity counts from here, and every asking has a value of its own. */
static int ask_setnx(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    l->lock.sent_ms = now_ms;
    l->lock.req.text = l->peer;
    l->lock.req.text_len = 0;
    l->value_len = make_value(l, (char *)l->lock.token.bytes, now_ms, l->lock.ttl_ms);
    return legacy_ask(l, SETNX, &rdl_op_setnx, no_bytes);
}

static int take_over(struct rdl_lock_legacy *l, enum phase phase, const struct rdl_op *op, uint64_t now_ms)
{
    struct rdl_bytes found;

    if (now_ms >= l->lock.wake_ms) /* there is no time for another answer */
        return RDL_BUSY;
    found.data = l->peer;
    found.len = l->lock.req.text_len;
    l->lock.sent_ms = now_ms;
    l->value_len = make_value(l, (char *)l->lock.token.bytes, now_ms, l->lock.ttl_ms);
    return legacy_ask(l, phase, op, found);
}

/* ttl_ms is no less than what the lease has left, so the deadline does not move back. */
static int ask_replace(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    l->lock.sent_ms = now_ms;
    l->other_len = make_value(l, l->peer, now_ms, l->lock.ttl_ms);
    return ask_with(l, DONE, &rdl_op_replace, other(l), known(l));
}

static int ask_extend(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    l->lock.req.text = NULL;
    if (l->other_len > 0)
        return ask_with(l, SETTLE, &rdl_op_replace, other(l), known(l));
    return ask_replace(l, now_ms);
}

static int first_request(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    if (l->lock.action == RDL_RELEASE)
        return legacy_ask(l, DONE, rdl_lock_op(&l->lock, RDL_RELEASE), no_bytes);
    if (l->lock.action == RDL_EXTEND && !clock_is_older(l, now_ms, CLOCK_OLD_MS))
        return ask_extend(l, now_ms);
    if (l->lock.action == RDL_ACQUIRE)
        l->value_len = l->other_len = 0; /* nothing is ours to give back yet */
    return legacy_ask(l, TIME, &rdl_op_time, no_bytes);
}

static int legacy_send(struct rdl_lock *lock, uint64_t now_ms)
{
    struct rdl_lock_legacy *l = legacy_of(lock);
    int rc;

    lock->sent_ms = now_ms;
    if (lock->action == RDL_RELEASE && now_ms >= lock->ended_ms)
        return RDL_EXPIRED; /* by now it may be somebody else's deadline that counts */
    rc = first_request(l, now_ms);
    return rc == RDL_PENDING ? RDL_OK : rc;
}

/* ---------------------------------------------------------------- answers */

/* The server does not take this request. */
static int is_refused(const struct rdl_lock_legacy *l)
{
    return l->lock.req.answer == RDL_ANSWER_ERROR &&
           (l->lock.req.error == RDL_E_UNSUPPORTED || l->lock.req.error == RDL_E_PERM);
}

static int legacy_not_granted(struct rdl_lock_legacy *l)
{
    if (l->lock.req.answer == RDL_ANSWER_ERROR && l->lock.req.error == RDL_E_WRONGTYPE)
        return RDL_E_FOREIGN_VALUE;
    return rdl_lock_not_granted(&l->lock);
}

/* The server's time, or, if it does not tell, the clock that was set. */
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

/* Something is in the way. */
static int contend(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    int64_t lives_ms = l->lock.req.value;

    if (lives_ms == -2 && l->lock.req.text_len == 0) /* cut short: nobody knows what stands there */
        return RDL_BUSY;
    switch (classify_peer(l, now_ms)) {
    case PEER_LIVE:
        if (l->lock.holder_ms < 0)
            l->lock.holder_ms = lives_ms;
        return RDL_BUSY;
    case PEER_EXPIRED:
        return take_over(l, REPLACE, &rdl_op_replace, now_ms);
    case PEER_FOREIGN:
        break;
    }
    if (lives_ms == -1)
        return RDL_E_FOREIGN_VALUE;
    l->lock.holder_ms = lives_ms; /* e.g. a plain lock: it ends by itself; -2: it came just now, unknown */
    return RDL_BUSY;
}

static int answer_setnx(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    if (l->lock.req.answer == RDL_ANSWER_YES)
        return rdl_lock_granted(&l->lock, RDL_OK, now_ms);
    if (l->lock.req.answer != RDL_ANSWER_UNKNOWN) /* else the attempt before knows better */
        l->lock.holder_ms = -2;
    if (l->lock.req.answer == RDL_ANSWER_NO)
        return contend(l, now_ms);
    if (l->lock.req.answer == RDL_ANSWER_ABSENT) /* released in between: at once again */
        return now_ms < l->lock.wake_ms ? ask_setnx(l, now_ms) : RDL_BUSY;
    return legacy_not_granted(l);
}

static int answer_replace(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    if (l->lock.req.answer == RDL_ANSWER_YES)
        return rdl_lock_granted(&l->lock, RDL_RECOVERED, now_ms);
    if (is_refused(l) && !rdl_conn_is_switched_off(l->lock.conn, &rdl_op_replace))
        return take_over(l, GETSET, &rdl_op_getset, now_ms);
    if (l->lock.req.answer == RDL_ANSWER_NO || l->lock.req.answer == RDL_ANSWER_ABSENT)
        return RDL_BUSY; /* somebody was faster */
    return legacy_not_granted(l);
}

/* What was overwritten decides, not what we had read: a third may have taken over and expired in between. */
static int answer_getset(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    if (l->lock.req.answer == RDL_ANSWER_YES)
        return rdl_lock_granted(&l->lock, RDL_OK, now_ms);
    if (l->lock.req.answer == RDL_ANSWER_NO)
        return classify_peer(l, now_ms) == PEER_EXPIRED ? rdl_lock_granted(&l->lock, RDL_RECOVERED, now_ms)
                                                        : RDL_BUSY;
    return legacy_not_granted(l);
}

/* Late or not, what stands there now is the new value; or it may, or it does not. */
static int answer_replace_own(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    if (l->lock.req.answer == RDL_ANSWER_YES)
        take_other(l);
    else if (l->lock.req.answer != RDL_ANSWER_UNKNOWN)
        l->other_len = 0;
    if (l->lock.req.answer == RDL_ANSWER_NO && l->kind == RDL_LEGACY_SHORTEST && now_ms < l->lock.until_ms)
        return ask_what_is_there(l);
    return rdl_lock_extended(&l->lock, now_ms);
}

/* A yes or a no: by now it is the second of the two values, if it is ours. Else both may be there still. */
static int answer_settle(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    if (l->lock.req.answer == RDL_ANSWER_YES || l->lock.req.answer == RDL_ANSWER_NO) {
        take_other(l);
        if (now_ms < l->lock.until_ms)
            return ask_extend(l, now_ms);
    }
    return rdl_lock_extended(&l->lock, now_ms);
}

/* Somebody overwrote us. The lease goes on if it was a waiter; else it is lost. */
static int answer_look_extend(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    if (is_waiters(l, now_ms, l->lock.until_ms))
        return RDL_OVERWRITTEN;
    if (l->lock.req.answer == RDL_ANSWER_YES)
        l->lock.req.answer = RDL_ANSWER_NO;
    return rdl_lock_extended(&l->lock, now_ms);
}

static int answer_extend(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    if (l->phase == TIME)
        return answer_time(l, now_ms);
    if (l->phase == LOOK)
        return answer_look_extend(l, now_ms);
    if (l->lock.req.answer == RDL_ANSWER_ERROR && l->lock.req.error == RDL_E_WRONGTYPE) /* it was replaced */
        l->lock.req.answer = RDL_ANSWER_NO;
    return l->phase == SETTLE ? answer_settle(l, now_ms) : answer_replace_own(l, now_ms);
}

/* Nobody else can have it by the time that a request arrives. */
static int is_early(const struct rdl_lock_legacy *l, uint64_t now_ms)
{
    return now_ms + 2 * (uint64_t)rdl_attempt_over(l->lock.opt, l->lock.conn->rtt_ms) < l->lock.ended_ms;
}

/* Neither of our values is there, and nobody else can have the lock yet, or what is there says otherwise. */
static int answer_look_release(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    const struct rdl_bytes found = {l->peer, l->lock.req.text_len};

    if (l->lock.req.answer != RDL_ANSWER_YES && l->lock.req.answer != RDL_ANSWER_NO &&
        l->lock.req.answer != RDL_ANSWER_ABSENT)
        return RDL_OVERWRITTEN; /* no answer */
    if (!is_waiters(l, now_ms, l->lock.ended_ms))
        return RDL_LOST;
    if (l->kind != RDL_LEGACY_SHORTEST || !is_early(l, now_ms))
        return RDL_OVERWRITTEN;
    return ask_with(l, REMOVE, &rdl_op_release_once, found, no_bytes);
}

static int answer_remove(const struct rdl_lock_legacy *l)
{
    switch ((enum rdl_answer)l->lock.req.answer) {
    case RDL_ANSWER_YES:
        return RDL_REMOVED;
    case RDL_ANSWER_ABSENT: /* somebody deleted it who held it, or what he did not hold */
        return RDL_LOST;
    case RDL_ANSWER_UNKNOWN:
        return RDL_UNKNOWN;
    case RDL_ANSWER_NO:
    case RDL_ANSWER_ERROR:
    case RDL_ANSWER_UNSENT:
    case RDL_ANSWER_NONE:
        break;
    }
    return RDL_OVERWRITTEN;
}

/* Of two values the second, when the first was not there. Whole numbers: not when it may be another's. */
static int is_other_next(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    return (l->kind != RDL_LEGACY_INTEGER || (is_early(l, now_ms) && !l->lock.req.is_again)) && take_other(l);
}

/*
 * None of ours is there. If that was asked again after a cut, the lock may have been free since the first
 * time, and what stands there the next holder's: it is not looked at, nor taken for a waiter's.
 */
static int not_ours(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    int is_again = l->lock.req.is_again;

    if (is_other_next(l, now_ms))
        return legacy_ask(l, DONE, rdl_lock_op(&l->lock, RDL_RELEASE), no_bytes);
    if (is_again && l->other_len > 0) /* the second may stand there, and was not asked for */
        return RDL_UNKNOWN;
    return is_again || now_ms >= l->lock.ended_ms ? rdl_lock_released(&l->lock, now_ms)
                                                  : ask_what_is_there(l);
}

/* Nothing that compares is known or permitted: DEL, while no other client can have it when it arrives. */
static int answer_release_own(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    if (is_refused(l) && is_early(l, now_ms) &&
        !rdl_conn_is_switched_off(l->lock.conn, &rdl_op_release_strict))
        return legacy_ask(l, GETSET, &rdl_op_delete, no_bytes);
    if (l->lock.req.answer == RDL_ANSWER_NO)
        return not_ours(l, now_ms);
    if (l->lock.req.answer != RDL_ANSWER_ABSENT && rdl_lock_released(&l->lock, now_ms) != RDL_OK &&
        rdl_lock_next(&l->lock))
        rdl_lock_queue_release(&l->lock); /* the first is owed already */
    return rdl_lock_released(&l->lock, now_ms);
}

static int answer_release(struct rdl_lock_legacy *l, uint64_t now_ms)
{
    if (l->phase == DONE)
        return answer_release_own(l, now_ms);
    if (l->phase == LOOK)
        return answer_look_release(l, now_ms);
    return l->phase == REMOVE ? answer_remove(l) : rdl_lock_released(&l->lock, now_ms);
}

static int legacy_answer(struct rdl_lock *lock, uint64_t now_ms)
{
    struct rdl_lock_legacy *l = legacy_of(lock);

    if (lock->action == RDL_RELEASE)
        return answer_release(l, now_ms);
    if (lock->action == RDL_EXTEND)
        return answer_extend(l, now_ms);
    switch ((enum phase)l->phase) {
    case TIME:
        return answer_time(l, now_ms);
    case SETNX:
        return answer_setnx(l, now_ms);
    case REPLACE:
        return answer_replace(l, now_ms);
    case GETSET:
    case SETTLE:
    case LOOK:
    case REMOVE:
    case DONE:
        break;
    }
    return answer_getset(l, now_ms);
}

/* Whole numbers do not tell one from another: what was not answered may be somebody else's. */
static size_t legacy_value(const struct rdl_lock *lock, char out[RDL_VALUE_MAX])
{
    const struct rdl_lock_legacy *l = (const struct rdl_lock_legacy *)lock;

    if (l->kind == RDL_LEGACY_INTEGER && lock->action == RDL_ACQUIRE &&
        lock->req.answer == RDL_ANSWER_UNKNOWN)
        return 0;
    rdl_copy(out, lock->token.bytes, l->value_len);
    return l->value_len;
}

/* Nor is what may be another's deleted. */
static int legacy_next(struct rdl_lock *lock)
{
    return legacy_of(lock)->kind != RDL_LEGACY_INTEGER && take_other(legacy_of(lock));
}

static const struct rdl_op *const strict_ops[] = {NULL, NULL, &rdl_op_release_strict};
static const struct rdl_lock_mode legacy = {legacy_send, legacy_answer, legacy_value, strict_ops,
                                            legacy_next};

int rdl_lock_init_legacy(struct rdl_lock_legacy *l, const struct rdl_lock_options *opt, struct rdl_conn *conn,
                         const void *name, size_t name_len, enum rdl_legacy kind)
{
    rdl_zero(l, sizeof *l);
    l->kind = (uint8_t)kind;
    return rdl_lock_init_mode(&l->lock, &legacy, opt, conn, name, name_len);
}
