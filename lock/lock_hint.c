/* SPDX-License-Identifier: MIT */
/*
 * lock_hint.c - the wake hint: a release adds an element to a list, and a waiting client takes it, on a
 * second connection.
 *
 * An element of the list {name}:wake means "try now", never "you hold it". Redis serves waiting clients in
 * order, one for each element, so a release wakes one of them and not all.
 *
 * A hint only shortens a pause between two attempts. If it is lost, late, duplicated or wrong, that costs
 * time and an attempt, never the lock: SET NX alone decides who holds it.
 */
#include "lock/lock_hint.h"

#include "lock/lock_private.h"
#include "resp/resp_bytes.h"

/* Writes the commands with two more arguments: the list as b, then `last`. */
static void wake_write_args(struct rdl_slice *w, const char *const *commands,
                            const struct rdl_bytes own[RDL_LETTERS], const char *letters,
                            struct rdl_bytes last)
{
    char key[RDL_NAME_MAX + 2 + RDL_SUFFIX_MAX];
    struct rdl_bytes all[RDL_LETTERS + 2];
    struct rdl_args args = {letters, NULL, RDL_LETTERS + 2};

    rdl_copy(all, own, RDL_LETTERS * sizeof *all);
    all[RDL_LETTERS] = (struct rdl_bytes){key, rdl_side_key(key, own[RDL_LETTER_K], ":wake")};
    all[RDL_LETTERS + 1] = last;
    args.arg = all;
    rdl_slice_write_all(w, commands, &args);
}

/* ---------------------------------------------------------------- waking */

static void release_write_args(struct rdl_slice *w, const char *const *commands,
                               const struct rdl_bytes own[RDL_LETTERS], const struct rdl_conn *c,
                               const struct rdl_record *r)
{
    /* ms, of an element that no client took: clients that wait later have already found the lock free */
    static const struct rdl_bytes life = {"1000", 4};

    (void)c;
    (void)r;
    wake_write_args(w, commands, own, RDL_RECORD_LETTERS "bh", life);
}

static const struct rdl_method release_hint_method = {.commands = RDL_COMMANDS(rdl_wire_call_release_hint),
                                                      .write_args = release_write_args,
                                                      .on_reply = rdl_script_on_reply,
                                                      .script = &rdl_script_release_hint};
static const struct rdl_method *const release_hint[] = {&release_hint_method, NULL};

/* Only a script can wake and delete in one step. If it is refused, the lock is at least released. */
static const struct rdl_op plain = {
    .family = RDL_FAMILY_RELEASE, .must_send = RDL_SEND_ALWAYS, .fallback_family = RDL_FAMILY_HINT};
const struct rdl_op rdl_op_release_hint = {.methods = release_hint,
                                           .then = &plain,
                                           .family = RDL_FAMILY_HINT,
                                           .must_send = RDL_SEND_ALWAYS,
                                           .fallback_family = RDL_FAMILY_HINT};
static const struct rdl_op release_hint_strict = {.methods = release_hint,
                                                  .then = &rdl_op_release_strict,
                                                  .family = RDL_FAMILY_HINT,
                                                  .must_send = RDL_SEND_ALWAYS};

/* ---------------------------------------------------------------- acquiring */

static int alone_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    int rc = rdl_set_on_reply(c, r);

    if (rc == RDL_OK && r->verdict == RDL_ANSWER_NO)
        rdl_record_complete(r, -2);
    return rc;
}

static const struct rdl_method alone = {.commands = RDL_COMMANDS(rdl_wire_set_nx_px),
                                        .on_reply = alone_on_reply};
static const struct rdl_op acquire_alone = {.methods = RDL_METHOD(&alone), .may_grant = 1};

/* ---------------------------------------------------------------- waiting */

/*
 * Writes the seconds for BLPOP, rounded up. 0 would block forever, and Redis 6.0 truncates 0.001 to 0, so the
 * least is 0.002.
 */
static size_t seconds(char out[RDL_DEC_MAX + 4], uint32_t ms, int is_whole)
{
    size_t n;
    uint32_t part;

    if (ms < 2)
        ms = 2;
    part = ms % 1000;
    n = rdl_dec_u32(out, ms / 1000 + (is_whole && part != 0));
    if (is_whole || part == 0)
        return n;
    out[n] = '.';
    out[n + 1] = (char)('0' + part / 100);
    out[n + 2] = (char)('0' + part / 10 % 10);
    out[n + 3] = (char)('0' + part % 10);
    return n + 4;
}

static void wait_write_args(struct rdl_slice *w, const char *const *commands,
                            const struct rdl_bytes own[RDL_LETTERS], const struct rdl_conn *c,
                            const struct rdl_record *r)
{
    char text[RDL_DEC_MAX + 4];
    const struct rdl_bytes timeout = {text, seconds(text, r->ttl_ms, r->method != 0)};

    (void)c;
    wake_write_args(w, commands, own, RDL_RECORD_LETTERS "bt", timeout);
}

static int wait_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    int rc;

    if (c->reply_kind == RDL_RESP_ARRAY || c->reply_kind == RDL_RESP_NIL) {
        r->verdict = c->reply_kind == RDL_RESP_ARRAY ? RDL_ANSWER_YES : RDL_ANSWER_NO;
        return RDL_OK;
    }
    rc = rdl_reply_error(c, r);
    if (rc == RDL_OK && rdl_has_prefix(c->reply, "ERR timeout")) { /* "... is not an integer": before 6.0 */
        rdl_method_refuse(c, r);
        r->is_refused = 1;
    }
    if (r->verdict == RDL_ANSWER_NO) { /* the key is not a list: there will be no hint */
        r->verdict = RDL_ANSWER_ERROR;
        r->error = RDL_E_WRONGTYPE;
    }
    return rc;
}

static const struct rdl_method wait_method = {
    .commands = RDL_COMMANDS(rdl_wire_blpop), .write_args = wait_write_args, .on_reply = wait_on_reply};
/* The first method sends fractions of a second. If they are refused, the second sends whole seconds. */
static const struct rdl_method *const wait_hint[] = {&wait_method, &wait_method, NULL};
RDL_METHODS_FIT(wait_hint);

const struct rdl_op rdl_op_wait_hint = {.methods = wait_hint, .family = RDL_FAMILY_WAIT_HINT};

/* ---------------------------------------------------------------- the wait */

enum {
    LATE_MS = 3000, /* a server that is this late will not end the wait any more */
    VAIN_MAX = 16,  /* hints in a row without the lock: another program fills the list */
    PATIENCE_LEAST_MS = 100,
    CHANGES = 2, /* of the expiry in a row: the lock was released. A holder that renews makes one of them */
    PROBE_MS = 500, /* how long a client polls while it does not know whether others send hints */
    /* How late a server may end a wait. A hint within a round trip and this time was in the list before. */
    LATE_REPLY_MS = 3
};

static void wait_drop(struct rdl_hint *h)
{
    rdl_conn_abandon(h->conn, &h->req);
    if (h->req.answer !=
        RDL_ANSWER_UNSENT) /* otherwise the server would send the next hint to a wait that has ended */
        rdl_conn_shut(h->conn, RDL_E_TIMEOUT);
    h->req.answer = RDL_ANSWER_NONE;
}

static int is_usable(struct rdl_hint *h, uint64_t now_ms)
{
    if (h->conn == NULL)
        return 0;
    rdl_conn_tick(h->conn, now_ms);
    if (h->req.is_queued && now_ms > h->ends_ms + LATE_MS)
        wait_drop(h);
    if (rdl_conn_state(h->conn) != RDL_CONN_READY) {
        h->is_refused = h->fruitless = 0;
        return 0;
    }
    return !h->is_refused;
}

/* A hint came: other clients send hints. The next one may take up to four times as long. */
static void hint_learn(struct rdl_hint *h, uint64_t now_ms)
{
    uint32_t waited_ms = (uint32_t)now_ms - h->begun_ms;

    if (!h->is_waiting || waited_ms <= h->conn->rtt_ms + LATE_REPLY_MS) /* it was in the list before */
        return;
    h->patience_ms -= h->patience_ms / 8;
    if (h->patience_ms < 4 * waited_ms)
        h->patience_ms = 4 * waited_ms;
    if (h->patience_ms < PATIENCE_LEAST_MS)
        h->patience_ms = PATIENCE_LEAST_MS;
    h->is_waiting = h->is_overdue = h->is_polling = 0;
}

static int hint_fired(struct rdl_hint *h, uint64_t now_ms)
{
    uint8_t answer = h->req.answer;

    if (answer == RDL_ANSWER_NONE)
        return 0;
    if (answer == RDL_ANSWER_YES)
        hint_learn(h, now_ms);
    h->req.answer = RDL_ANSWER_NONE;
    h->is_awake = answer == RDL_ANSWER_YES;
    if (answer == RDL_ANSWER_YES)
        h->fruitless++;
    else
        h->fruitless = answer == RDL_ANSWER_NO ? 0 : VAIN_MAX;
    h->is_refused = answer == RDL_ANSWER_ERROR && rdl_is_permanent(h->req.error);
    return 1;
}

/* Begins a wait of wait_ms at most. Returns 1 if one is running. */
static int wait_begin(struct rdl_hint *h, struct rdl_bytes name, uint32_t wait_ms, uint64_t now_ms)
{
    const struct rdl_bytes none = {NULL, 0};
    const struct rdl_command command = {&rdl_op_wait_hint, name, none, none, UINT64_MAX, wait_ms};

    if (h->req.is_queued || h->req.answer == RDL_ANSWER_YES)
        return 1; /* the server's clock is slow, or it counts whole seconds: that wait continues */
    if (h->fruitless >= VAIN_MAX || !rdl_conn_is_idle(h->conn)) {
        h->fruitless = 0;
        return 0;
    }
    if (rdl_conn_submit(h->conn, &h->req, &command) != RDL_OK)
        return 0;
    h->ends_ms = now_ms + wait_ms;
    return 1;
}

/*
 * Returns whether the key has another expiry than at the last attempt of this wait: the lock was released, or
 * its holder has renewed it.
 */
static int has_other_expiry(struct rdl_hint *h, uint32_t holder_ms, uint64_t now_ms)
{
    int has_not_expired = (int32_t)(h->holder_ends_ms - (uint32_t)now_ms) > 0;
    int can_tell = h->has_ends && has_not_expired;

    h->has_ends = holder_ms != UINT32_MAX;
    return h->has_ends && rdl_has_changed_hands(&h->holder_ends_ms, holder_ms, h->conn->rtt_ms, now_ms) &&
           can_tell;
}

/*
 * Returns for how long to wait for a hint now. A client that has waited longer than hints take polls for a
 * time. If the lock was released meanwhile, the others send no hints: the client polls until a hint comes.
 */
static uint32_t wait_of(struct rdl_hint *h, uint32_t holder_ms, uint32_t usual_ms, uint64_t now_ms)
{
    uint32_t waited_ms;
    uint32_t most_ms = RDL_HINT_CAP_MS;

    if (!h->is_waiting) {
        h->begun_ms = (uint32_t)now_ms;
        h->has_ends = 0;
    }
    h->is_waiting = 1;
    waited_ms = (uint32_t)now_ms - h->begun_ms;
    if (!has_other_expiry(h, holder_ms, now_ms))
        h->changes = 0;
    else if (h->changes < CHANGES)
        h->changes++;
    if (h->changes == CHANGES && waited_ms >= h->patience_ms)
        h->is_polling = 1;
    if (h->patience_ms - waited_ms < most_ms)
        most_ms = h->patience_ms - waited_ms;
    if (holder_ms < most_ms)
        most_ms = holder_ms + 1;
    if (h->is_polling || waited_ms - h->patience_ms < PROBE_MS)
        most_ms = usual_ms;
    h->is_overdue = waited_ms + most_ms >= h->patience_ms;
    return most_ms;
}

static uint64_t hint_begin(struct rdl_hint *h, struct rdl_bytes name, uint32_t holder_ms, uint32_t usual_ms,
                           uint64_t deadline_ms, uint64_t now_ms)
{
    uint32_t most_ms, wait_ms;

    h->is_awake = 0;
    /* The hint is old, but its reply may show that the server refuses BLPOP. */
    if (h->req.answer != RDL_ANSWER_YES)
        (void)hint_fired(h, now_ms);
    if (!is_usable(h, now_ms))
        return usual_ms;
    most_ms = wait_of(h, holder_ms, usual_ms, now_ms);
    if (most_ms > deadline_ms - now_ms)
        most_ms = (uint32_t)(deadline_ms - now_ms);
    wait_ms = most_ms;
    if (most_ms == usual_ms && most_ms > LATE_REPLY_MS) /* it takes no hint after the next attempt */
        wait_ms = most_ms - LATE_REPLY_MS;
    if (!wait_begin(h, name, wait_ms, now_ms))
        return usual_ms;
    return hint_fired(h, now_ms) ? 0 : most_ms;
}

/*
 * A wait that ends with a hint does not need the holder's time, so the attempt before it sends no PTTL. That
 * is the first attempt, and one after a hint. If the wait ends without a hint, the holder may have died: the
 * next attempt requests its time. BUSY reports that time, so there must be time for that attempt.
 */
static const struct rdl_op *hint_acquire(const struct rdl_hint *h, const struct rdl_lock_options *opt,
                                         int is_first, uint64_t deadline_ms, uint64_t now_ms)
{
    int is_up = h->conn != NULL && rdl_conn_state(h->conn) == RDL_CONN_READY;
    int can_wait = is_up && !h->is_refused && !h->is_polling;
    int has_time = !rdl_is_one_attempt(opt) && now_ms + RDL_HINT_CAP_MS < deadline_ms;

    if (can_wait && has_time && (is_first || h->is_awake) && rdl_first_ttl_ms(opt) > RDL_HINT_CAP_MS)
        return &acquire_alone;
    return &rdl_op_acquire;
}

static void hint_end(struct rdl_hint *h, int is_held)
{
    if (h->req.is_queued)
        wait_drop(h);
    if (is_held && h->is_overdue && !h->is_awake) /* the lock was released without a hint */
        h->is_polling = 1;
    h->fruitless = h->is_waiting = h->is_overdue = 0;
}

static const struct rdl_hint_ops hint_ops = {hint_begin,   hint_fired,           hint_end,
                                             hint_acquire, &rdl_op_release_hint, &release_hint_strict};

void rdl_hint_init(struct rdl_hint *h, struct rdl_conn *conn)
{
    static const struct rdl_hint blank = {0};

    RDL_ASSERT(conn == NULL ||
               !rdl_conn_refers_to(conn, h, sizeof *h)); /* a wait is pending in this memory */
    *h = blank;
    h->ops = &hint_ops;
    h->patience_ms = RDL_HINT_FIRST_MS;
    h->conn = conn;
}

void rdl_lock_set_hint(struct rdl_lock *l, struct rdl_hint *hint)
{
    RDL_ASSERT(rdl_lock_wake_ms(l) == UINT64_MAX); /* no operation is pending */
    /* several locks have no list of hints */
    if (l->mode->ops == rdl_plain_ops || l->mode->take_other != NULL)
        l->hint = hint;
}
