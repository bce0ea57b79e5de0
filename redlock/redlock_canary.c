/* SPDX-License-Identifier: MIT */
/*
 * redlock_canary.c - does a server still have the data that it had?
 *
 * The restart guard sees a server that came up anew. It does not see FLUSHALL, nor that an address leads to a
 * replica now that was behind: run_id and uptime tell nothing of the data. The canary does: a key without
 * expiry that stands beside the locks. If it is gone, or was made by another run, the locks may be gone too,
 * and the server is left out of the counting as after a restart.
 *
 * It is read behind every SET and extend, on the same connection: what it says is then true of the moment
 * when the vote was cast.
 */
#include "redlock/redlock_private.h"
#include "resp/resp_bytes.h"

static const char key[] = RDL_CANARY_KEY;

enum stage {
    LOOK_NONE,
    LOOK_DUE, /* not asked yet: no room, or the vote itself is not in */
    LOOK_OUT,
    LOOK_DONE
};

static int submit(const struct rdl_redlock *r, size_t i, const struct rdl_op *op)
{
    struct rdl_canary *c = &r->canaries[i];
    struct rdl_command cmd;

    rdl_zero(&cmd, sizeof cmd); /* until_ms too: nothing of it goes over another connection */
    cmd.op = op;
    cmd.name.data = key;
    cmd.name.len = sizeof key - 1;
    cmd.value.data = c->found; /* what a release deletes */
    cmd.value.len = c->req.text_len;
    cmd.ttl_ms = c->created_s;
    return rdl_conn_submit(r->servers[i].conn, op == &rdl_op_canary_look ? &c->req : NULL, &cmd);
}

/* A script may be sent twice, the second time behind what we ask now: so wait for the vote first. */
static void canary_ask(struct rdl_redlock *r, size_t i, const struct rdl_op *vote)
{
    struct rdl_canary *c = &r->canaries[i];

    rdl_conn_forget(r->servers[i].conn, &c->req);
    c->stage = LOOK_DUE;
    c->is_early = 1;
    if (vote == &rdl_op_acquire || vote == &rdl_op_extend)
        c->stage = submit(r, i, &rdl_op_canary_look) == RDL_OK ? LOOK_OUT : LOOK_DUE;
}

/*
 * It is there, made by this run. The age is cut to seconds, so of two estimates of one canary the earlier is
 * the better. STRICT believes no clock of a server: it goes by when we first saw it, or had one made, which
 * was in that second or in the next.
 */
static void found(const struct rdl_redlock *r, struct rdl_canary *c, int is_made, uint64_t now_ms)
{
    uint32_t created_s = (uint32_t)(c->req.value >> RDL_CANARY_AGE_BITS);
    int64_t since_ms = (int64_t)now_ms;

    if (r->opt->guard != RDL_GUARD_STRICT)
        since_ms -= (c->req.value & RDL_CANARY_AGE_MAX) * 1000;
    if (created_s - c->created_s > (unsigned)is_made || since_ms < c->since_ms)
        c->since_ms = since_ms;
    c->created_s = created_s;
}

static void canary_take(struct rdl_redlock *r, size_t i, uint64_t now_ms)
{
    struct rdl_canary *c = &r->canaries[i];
    int is_made = c->answer == RDL_ANSWER_NO || c->answer == RDL_ANSWER_ABSENT;
    int answer = c->req.answer;

    if (c->stage != LOOK_OUT || answer == RDL_ANSWER_NONE)
        return;
    c->stage = LOOK_DONE;
    c->answer = (uint8_t)answer;
    c->error = c->req.error;
    if (answer == RDL_ANSWER_YES)
        found(r, c, is_made, now_ms);
    if (answer != RDL_ANSWER_NO && answer != RDL_ANSWER_ABSENT)
        return;
    c->since_ms = (int64_t)now_ms;
    c->created_s = (uint32_t)c->req.value;
    if (answer == RDL_ANSWER_NO)
        submit(r, i, &rdl_op_release);
    submit(r, i, &rdl_op_canary_make);
}

static uint64_t canary_counts_at(const struct rdl_redlock *r, size_t i)
{
    return rdl_guard_quarantine_end(r, r->canaries[i].since_ms);
}

/* The server said yes: what is that worth? */
static enum rdl_vote canary_confirm(struct rdl_redlock *r, size_t i, uint64_t now_ms, int *error)
{
    struct rdl_canary *c = &r->canaries[i];
    struct rdl_server *s = &r->servers[i];
    int is_refused;

    if (c->is_early && s->req.is_repeated) { /* it came behind the look: look again */
        rdl_conn_forget(s->conn, &c->req);
        c->stage = LOOK_DUE;
    }
    c->is_early = 0;
    if (c->stage == LOOK_DUE && submit(r, i, &rdl_op_canary_look) == RDL_OK)
        c->stage = LOOK_OUT;
    canary_take(r, i, now_ms);
    if (c->stage != LOOK_DONE)
        return RDL_VOTE_PENDING;
    if (c->answer == RDL_ANSWER_YES || c->answer == RDL_ANSWER_NO || c->answer == RDL_ANSWER_ABSENT) {
        s->counts = s->counts && s->asked_ms >= canary_counts_at(r, i);
        return RDL_VOTE_GRANTED;
    }
    is_refused = c->error == RDL_E_PERM || c->error == RDL_E_UNSUPPORTED;
    if (is_refused && r->opt->guard == RDL_GUARD_IF_PERMITTED)
        return RDL_VOTE_GRANTED;
    *error = c->error;
    return c->answer == RDL_ANSWER_ERROR ? RDL_VOTE_ERROR : RDL_VOTE_UNKNOWN;
}

/* What was asked and not taken is asked again behind the next vote. */
static void canary_drop(struct rdl_redlock *r, size_t i)
{
    rdl_conn_forget(r->servers[i].conn, &r->canaries[i].req);
    r->canaries[i].stage = LOOK_NONE;
    r->canaries[i].is_early = 0;
}

static const struct rdl_canary_way way = {canary_ask, canary_take, canary_confirm, canary_drop,
                                          canary_counts_at};

void rdl_redlock_set_canary(struct rdl_redlock *r, struct rdl_canary *each)
{
    size_t i;

    RDL_ASSERT(r->state == REDLOCK_IDLE);
    rdl_zero(each, r->n * sizeof *each);
    for (i = 0; i < r->n; i++) {
        each[i].way = &way;
        each[i].req.text = each[i].found;
        each[i].since_ms = INT64_MIN / 2; /* not looked at yet: nothing speaks against it */
    }
    r->canaries = each;
}
