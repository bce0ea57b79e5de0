/* SPDX-License-Identifier: MIT */
/* redlock_vote.c - sends the requests to N servers and reads their votes, until the operation ends. */
#include "redlock/redlock_private.h"
#include "resp/resp_bytes.h"

int rdl_votes_submit(struct rdl_redlock *r, struct rdl_server *s, const struct rdl_op *op,
                     struct rdl_req *req, uint64_t until_ms)
{
    char extra[RDL_EXTRA_MAX];
    struct rdl_command cmd;

    cmd.op = op;
    cmd.name = (struct rdl_bytes){r->name, r->name_len};
    cmd.value = (struct rdl_bytes){r->value, sizeof r->value};
    if (r->owner != NULL)
        r->owner->redlock_value(r, &cmd.value);
    cmd.extra = (struct rdl_bytes){NULL, 0};
    cmd.until_ms = until_ms;
    cmd.ttl_ms = r->ttl_ms;
    if (op->must_send) /* a release: after a SET that was refused with an error, a key is unlikely */
        cmd.ttl_ms =
            r->action == RDL_ACQUIRE && s->vote == RDL_VOTE_ERROR ? 0 : rdl_redlock_max_ttl_ms(r) + 1000;
    if (r->opt->fencing != NULL) {
        cmd.extra = (struct rdl_bytes){extra, r->opt->fencing->extra(r, op, extra)};
    }
    return rdl_conn_submit(s->conn, req, &cmd);
}

static void set_vote(struct rdl_server *s, enum rdl_vote vote, int error)
{
    s->vote = (uint8_t)vote;
    s->error = (int16_t)error;
}

/*
 * Notes that a request was queued for s at now_ms. Sets is_past if, since the request before it, another run
 * was seen or the key may have expired.
 */
static void note_sent(const struct rdl_redlock *r, struct rdl_server *s, uint64_t now_ms)
{
    const struct rdl_server_info *f = rdl_guard_server_info(s->conn);

    /* The ttl of the last request is not stored; none is longer than max_ttl. */
    if ((f != NULL && f->seen_ms > s->asked_ms) || now_ms >= s->asked_ms + rdl_redlock_max_ttl_ms(r))
        s->is_past = 1;
    s->asked_ms = now_ms;
}

/* Returns how long a reply of this server may take: a distant server is not stalled. */
static uint32_t answer_ms(const struct rdl_redlock *r, const struct rdl_server *s)
{
    return rdl_attempt_ms_for_rtt(&r->opt->lease, s->conn->rtt_ms);
}

/* Returns the attempt's time, or the time that this server needs if that is longer. */
RDL_NOINLINE static uint32_t reply_timeout_ms(const struct rdl_redlock *r, const struct rdl_server *s,
                                              uint32_t quorum_rtt_ms)
{
    uint32_t rtt_ms = s->conn->rtt_ms > quorum_rtt_ms ? s->conn->rtt_ms : quorum_rtt_ms;

    return rdl_attempt_ms_for_rtt(&r->opt->lease, rtt_ms);
}

/*
 * Sends a request to one server. Its vote is pending until it replies. If the queue is full, or too many
 * requests are unanswered, the request is sent when there is room again.
 */
static void send_request(struct rdl_redlock *r, struct rdl_server *s, const struct rdl_op *op,
                         uint32_t quorum_rtt_ms, uint64_t now_ms)
{
    int rc = RDL_E_FULL;

    rdl_conn_abandon(s->conn, &s->req); /* if it has no reply yet: the new request replaces it */
    if (r->keys_end_ms < now_ms + r->ttl_ms)
        r->keys_end_ms = now_ms + r->ttl_ms;
    rdl_conn_set_timeout(s->conn, reply_timeout_ms(r, s, quorum_rtt_ms));
    if (rdl_conn_waiting(s->conn) < RDL_WAITING_MAX)
        rc = rdl_votes_submit(r, s, op, &s->req, now_ms + r->ttl_ms);
    if (r->until_ms != 0) /* a lease that is held reserves nothing */
        rdl_conn_free_room(s->conn, &s->req);
    rdl_conn_tick(s->conn, now_ms);
    set_vote(s, rc == RDL_OK ? RDL_VOTE_PENDING : RDL_VOTE_NONE, rc);
    note_sent(r, s, now_ms);
    s->is_repair = r->action == RDL_EXTEND && op == &rdl_op_acquire;
    s->raise = RAISE_NONE;
    if (rc == RDL_OK && (r->action == RDL_ACQUIRE || s->is_repair))
        s->needs_release = 1;
    if (rc == RDL_OK && r->action == RDL_ACQUIRE)
        rdl_count_up(&r->attempts);
    if (rc == RDL_OK && r->canaries != NULL)
        r->canaries->ops->ask(r, (size_t)(s - r->servers));
}

static enum rdl_vote vote_of(const struct rdl_req *req)
{
    static const uint8_t votes[] = {
        [RDL_ANSWER_NONE] = RDL_VOTE_NONE,   [RDL_ANSWER_YES] = RDL_VOTE_GRANTED,
        [RDL_ANSWER_NO] = RDL_VOTE_DENIED,   [RDL_ANSWER_ABSENT] = RDL_VOTE_ABSENT,
        [RDL_ANSWER_ERROR] = RDL_VOTE_ERROR, [RDL_ANSWER_UNKNOWN] = RDL_VOTE_UNKNOWN,
        [RDL_ANSWER_UNSENT] = RDL_VOTE_NONE,
    };

    return (enum rdl_vote)votes[req->answer];
}

/*
 * Returns the vote of a release. A repeated one (over a new connection, by the caller, or by another method)
 * may find no key of ours, because an earlier copy was executed. It is GRANTED if that must be the reason:
 * - the server had the key by its last reply;
 * - the lease is still valid, so no other client has taken it;
 * - the same run has replied: another one may have lost the key before;
 * - since its grant, no two requests were max_ttl or more apart: the key cannot have expired unseen.
 * If only the run is not known (INFO is refused), it is UNKNOWN. Otherwise the reply counts as it is.
 */
static enum rdl_vote release_vote(const struct rdl_redlock *r, const struct rdl_server *s, uint64_t now_ms)
{
    const struct rdl_server_info *f = rdl_guard_server_info(s->conn);
    enum rdl_vote vote = vote_of(&s->req);

    if (!s->req.may_be_second || now_ms >= r->deadline_ms || s->certainty < CERTAINTY_RESTORED ||
        (vote != RDL_VOTE_ABSENT && vote != RDL_VOTE_DENIED))
        return vote;
    if (f == NULL)
        return RDL_VOTE_UNKNOWN;
    return !s->is_past && f->seen_ms < s->asked_ms ? RDL_VOTE_GRANTED : vote;
}

/* Updates the certainty by a reply. A late grant of the acquire counts like those of the majority. */
static void update_certainty(const struct rdl_redlock *r, struct rdl_server *s)
{
    if (s->vote == RDL_VOTE_DENIED || s->vote == RDL_VOTE_ABSENT) {
        s->certainty = CERTAINTY_GONE;
        s->numbered = 0;
    }
    if (s->vote != RDL_VOTE_GRANTED || r->action == RDL_RELEASE)
        return;
    s->is_past = 0;
    if (s->certainty == CERTAINTY_NONE)
        s->certainty = CERTAINTY_CONTINUOUS;
    else if (s->certainty == CERTAINTY_GONE)
        s->certainty = CERTAINTY_RESTORED;
}

static void take_vote(struct rdl_redlock *r, struct rdl_server *s, uint64_t now_ms)
{
    enum rdl_vote vote;
    int error;

    if ((s->vote != RDL_VOTE_PENDING && s->raise != RAISE_OUT) || s->req.answer == RDL_ANSWER_NONE)
        return;
    error = s->req.error;
    if (error == RDL_E_ABANDONED)
        return;
    vote = r->action == RDL_RELEASE ? release_vote(r, s, now_ms) : vote_of(&s->req);
    if (vote == RDL_VOTE_UNKNOWN && error == RDL_OK) /* it did reply, over a new connection */
        error = RDL_E_CLOSED;
    if (s->raise == RAISE_OUT) {
        r->opt->fencing->raised(r, s, vote, error);
        return;
    }
    if (r->opt->fencing != NULL && r->action == RDL_ACQUIRE && vote == RDL_VOTE_GRANTED)
        vote = r->opt->fencing->confirm(s, &error);
    if (r->canaries != NULL && vote == RDL_VOTE_GRANTED && r->action != RDL_RELEASE)
        vote = r->canaries->ops->confirm(r, (size_t)(s - r->servers), &error);
    if (vote == RDL_VOTE_PENDING)
        return;
    set_vote(s, vote, error);
    s->took_ms = now_ms > s->asked_ms ? (uint32_t)(now_ms - s->asked_ms) : 0; /* cancel has no time */
    /* Only a reply counts, and a longer time contains a pause of the program, too. */
    if (s->conn->rtt_is_bound && s->took_ms < s->conn->rtt_ms && error == RDL_OK &&
        r->state != REDLOCK_IDLE) {
        s->conn->rtt_ms = s->took_ms + 1;
        s->conn->rtt_is_bound = 0;
    }
    s->value = -2; /* only the reply to a SET includes the holder's PTTL */
    if (s->vote == RDL_VOTE_GRANTED ||
        (s->vote == RDL_VOTE_DENIED && (r->action == RDL_ACQUIRE || s->is_repair)))
        s->value = s->req.value;
    update_certainty(r, s);
    if (r->action == RDL_ACQUIRE && (s->vote == RDL_VOTE_DENIED || s->vote == RDL_VOTE_NONE)) {
        s->needs_release = 0; /* the key is certainly not ours */
        rdl_conn_free_room(s->conn, &s->req);
    }
}

/*
 * Aborts stalled connections if no majority has confirmed an extend, and less than half is left of the time
 * that remained at the first one. Other locks' SETs on them are then not waited for. Returns when to check
 * that again. r->abort_below_ms is that half; 0: no extend is unconfirmed; 1: aborted already, until the next
 * extend.
 */
static uint64_t abort_stalled(struct rdl_redlock *r, uint64_t now_ms)
{
    uint32_t left_ms = rdl_redlock_remaining_ms(r, now_ms);
    uint32_t rtt_ms;
    size_t i;

    if (left_ms >= r->abort_below_ms)
        return r->abort_below_ms > 1 ? now_ms + (left_ms - r->abort_below_ms + 1) : UINT64_MAX;
    r->abort_below_ms = 1;
    rtt_ms = rdl_votes_quorum_rtt_ms(r);
    for (i = 0; left_ms > 0 && i < r->n; i++)
        rdl_conn_abort_if_stalled(r->servers[i].conn, reply_timeout_ms(r, &r->servers[i], rtt_ms));
    return UINT64_MAX;
}

uint64_t rdl_votes_take_replies(struct rdl_redlock *r, uint64_t now_ms)
{
    uint64_t wake_ms = abort_stalled(r, now_ms);
    uint32_t left_ms = r->abort_below_ms != 0 ? rdl_redlock_remaining_ms(r, now_ms) : 0;
    uint32_t rtt_ms = 0;
    size_t i;

    for (i = 0; i < r->n; i++) {
        uint64_t at_ms;
        if (r->servers[i].req.is_queued) { /* the server's round trip may be known only now */
            rtt_ms = rtt_ms != 0 ? rtt_ms : rdl_votes_quorum_rtt_ms(r);
            rdl_conn_set_timeout(r->servers[i].conn, reply_timeout_ms(r, &r->servers[i], rtt_ms));
        }
        at_ms = rdl_conn_tick_for_lease(r->servers[i].conn, left_ms, now_ms);
        r->servers[i].conn->is_awaited = r->state != REDLOCK_IDLE;
        if (at_ms < wake_ms)
            wake_ms = at_ms;
        if (r->canaries != NULL)
            r->canaries->ops->take(r, i, now_ms);
        take_vote(r, &r->servers[i], now_ms);
    }
    return wake_ms;
}

unsigned rdl_votes_mark_eligible(struct rdl_redlock *r, uint64_t now_ms)
{
    unsigned n = 0;
    size_t i;

    for (i = 0; i < r->n; i++) {
        struct rdl_server *s = &r->servers[i];
        int why;
        s->counts = rdl_conn_state(s->conn) == RDL_CONN_READY && now_ms >= rdl_guard_counts_at(r, s, &why);
        n += s->counts;
    }
    return n;
}

/* With a probe server, only that one gets the request. */
void rdl_votes_ask(struct rdl_redlock *r, uint64_t now_ms)
{
    const struct rdl_op *op = rdl_plain_ops[r->action];
    uint32_t rtt_ms;
    size_t i;

    if (rdl_redlock_count(r, RDL_VOTE_NONE) == 0)
        return;
    rtt_ms = rdl_votes_quorum_rtt_ms(r);
    if (r->opt->fencing != NULL)
        op = r->action == RDL_ACQUIRE ? r->opt->fencing->acquire : r->opt->fencing->extend;
    else if (r->action == RDL_ACQUIRE && r->hint != NULL && r->n == 1) /* several: a vote needs the PTTL */
        op = r->hint->ops->acquire(r->hint, &r->opt->lease, r->tries == 0, r->deadline_ms, now_ms);

    for (i = 0; i < r->n; i++) {
        struct rdl_server *s = &r->servers[i];
        int why;
        if (s->vote != RDL_VOTE_NONE || (s->error != RDL_OK && s->error != RDL_E_FULL))
            continue;
        if (rdl_conn_state(s->conn) != RDL_CONN_READY || (r->probe_server != 0 && i + 1 != r->probe_server))
            continue;
        s->counts = now_ms >= rdl_guard_counts_at(r, s, &why);
        if (why == RDL_OK)
            send_request(r, s, op, rtt_ms, now_ms);
        else
            set_vote(s, RDL_VOTE_NONE, why);
    }
}

unsigned rdl_votes_repair(struct rdl_redlock *r, uint64_t now_ms)
{
    uint32_t rtt_ms = rdl_votes_quorum_rtt_ms(r);
    unsigned n = 0;
    size_t i;

    for (i = 0; i < r->n; i++) {
        struct rdl_server *s = &r->servers[i];
        if (s->vote != RDL_VOTE_ABSENT || rdl_conn_state(s->conn) != RDL_CONN_READY)
            continue;
        send_request(r, s, &rdl_op_acquire, rtt_ms, now_ms);
        n += s->vote == RDL_VOTE_PENDING;
    }
    return n;
}

/* A key that was put back in the last operation was there before the next one's requests: CONFIRMING. */
void rdl_votes_clear(struct rdl_redlock *r)
{
    size_t i;

    for (i = 0; i < r->n; i++) {
        struct rdl_server *s = &r->servers[i];
        set_vote(s, RDL_VOTE_NONE, RDL_OK);
        s->took_ms = 0;
        s->req.may_be_second = 0;
        s->is_repair = s->raise = 0;
        if (s->certainty == CERTAINTY_RESTORED)
            s->certainty = CERTAINTY_CONFIRMING;
    }
}

/* Returns the release. With a hint, the one on the first server also wakes a client that waits there. */
static const struct rdl_op *release_op(const struct rdl_redlock *r, const struct rdl_server *s)
{
    return r->hint != NULL && s == r->servers ? r->hint->ops->release : &rdl_op_release;
}

/* Returns 1 if s had its full time to reply. A request that was sent late, or cut short, proves nothing. */
RDL_NOINLINE
static int was_waited_for(const struct rdl_redlock *r, const struct rdl_server *s, uint64_t now_ms)
{
    return now_ms >= s->asked_ms + answer_ms(r, s);
}

void rdl_votes_set_pending_errors(struct rdl_redlock *r, uint64_t now_ms)
{
    size_t i;

    for (i = 0; i < r->n; i++) {
        struct rdl_server *s = &r->servers[i];
        if (s->vote == RDL_VOTE_PENDING)
            s->error = was_waited_for(r, s, now_ms) ? RDL_E_TIMEOUT : RDL_E_ABANDONED;
    }
}

/* The vote stays pending if its server did not have its full time. */
void rdl_votes_abandon(struct rdl_redlock *r, uint64_t now_ms)
{
    size_t i;

    for (i = 0; i < r->n; i++) {
        struct rdl_server *s = &r->servers[i];
        int why = was_waited_for(r, s, now_ms) ? RDL_E_TIMEOUT : RDL_E_ABANDONED;
        int is_out = s->req.is_queued;
        rdl_conn_abandon(s->conn, &s->req);
        if (is_out && s->req.error == RDL_E_TIMEOUT)
            s->req.error = (int16_t)why;
        take_vote(r, s, now_ms);
        if (s->vote == RDL_VOTE_PENDING) /* also a yes whose canary is not known */
            set_vote(s, why == RDL_E_TIMEOUT ? RDL_VOTE_UNKNOWN : RDL_VOTE_PENDING, why);
    }
}

/*
 * Without a lease, nothing refers to the canaries and the hint afterwards. The reply to a canary's check is
 * discarded: cancel gets no time. If the canary was missing, the quarantine would begin at some moment in the
 * past, and end while another client may still hold a lock that the server lost.
 */
void rdl_redlock_end_waits(struct rdl_redlock *r)
{
    size_t i;

    for (i = 0; r->until_ms == 0 && r->canaries != NULL && i < r->n; i++)
        r->canaries->ops->drop(r, i);
    if (r->hint != NULL)
        r->hint->ops->end(r->hint, r->until_ms != 0);
}

/* Without a lease, nothing refers to the servers afterwards. */
int rdl_redlock_finish(struct rdl_redlock *r, int result)
{
    size_t i;

    rdl_redlock_end_waits(r);
    for (i = 0; i < r->n; i++) {
        r->servers[i].conn->is_awaited = 0;
        rdl_conn_free_room(r->servers[i].conn, &r->servers[i].req);
    }
    if (r->until_ms == 0)
        rdl_votes_abandon(r, r->sent_ms);
    r->state = REDLOCK_IDLE;
    if (r->n > 0) /* 0: it is why the set-up failed, and each acquire reports it */
        r->result = (int16_t)result;
    return result;
}

/* Missing votes are not waited for any more. */
void rdl_votes_release(struct rdl_redlock *r, int wait, uint64_t now_ms)
{
    size_t i;

    r->until_ms = 0;
    r->abort_below_ms = 0;
    rdl_votes_abandon(r, now_ms);
    for (i = 0; i < r->n; i++) {
        struct rdl_server *s = &r->servers[i];
        if (!wait)
            s->certainty = CERTAINTY_NONE;
        if (s->needs_release)
            s->is_repair = 0;
    }
    rdl_votes_flush_releases(r, wait, now_ms);
}

void rdl_votes_release_granted(struct rdl_redlock *r, uint64_t now_ms)
{
    size_t i;

    for (i = 0; i < r->n; i++) {
        rdl_conn_forbid_retry(r->servers[i].conn, &r->servers[i].req);
        take_vote(r, &r->servers[i], now_ms);
    }
    rdl_votes_flush_releases(r, 0, now_ms);
}

void rdl_votes_flush_releases(struct rdl_redlock *r, int wait, uint64_t now_ms)
{
    int is_over = now_ms >= r->keys_end_ms;
    uint32_t rtt_ms;
    size_t i;

    if (rdl_votes_count(r, rdl_is_unreleased) == 0)
        return;
    rtt_ms = rdl_votes_quorum_rtt_ms(r);
    for (i = 0; i < r->n; i++) {
        struct rdl_server *s = &r->servers[i];
        int rc;
        if (!s->needs_release)
            continue;
        rdl_conn_free_room(s->conn, &s->req); /* the room was reserved for this release */
        if (wait)
            rdl_conn_set_timeout(s->conn, reply_timeout_ms(r, s, rtt_ms));
        rc = rdl_votes_submit(r, s, release_op(r, s), wait ? &s->req : NULL, r->keys_end_ms);
        s->needs_release = rc != RDL_OK && !is_over;
        if (wait) {
            set_vote(s, rc == RDL_OK ? RDL_VOTE_PENDING : RDL_VOTE_NONE, rc);
            note_sent(r, s, now_ms);
        }
    }
}
