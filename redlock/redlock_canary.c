/* SPDX-License-Identifier: MIT */
/*
 * redlock_canary.c - the canary: detects that a server has lost its data.
 *
 * The restart guard sees that a server restarted. It does not see FLUSHALL, nor that an address now leads to
 * a replica that lagged: run_id and uptime do not depend on the data. The canary does: it is a key without
 * expiry, next to the locks. If it is gone, or another run created it, the locks may be gone, too. The server
 * then does not count, as after a restart.
 *
 * Its value is "<16 digits of the run_id> <seconds>". A script creates it and reads the clock itself. If a
 * delayed request carried an older time, its readers would assume that the server has had its data since
 * then. Where no script may do this (before Redis 5, or refused), the time is that of the check. If such a
 * SETNX is delayed for longer than a quarantine and arrives after a FLUSHALL, the canary is older than the
 * data.
 *
 * It is read after every SET and extend, on the same connection. So it is valid for the moment of the vote.
 */
#include "redlock/redlock_op.h"
#include "redlock/redlock_private.h"
#include "resp/resp_bytes.h"

enum { VALUE_MAX = RDL_RUN_DIGITS + 1 + RDL_DEC_MAX };

/* ---------------------------------------------------------------- its value */

static size_t write_value(char out[VALUE_MAX], uint64_t run, uint32_t clock_s)
{
    size_t i;

    for (i = RDL_RUN_DIGITS; i-- > 0; run >>= 4)
        out[i] = rdl_hex_digit((unsigned)run);
    out[RDL_RUN_DIGITS] = ' ';
    return RDL_RUN_DIGITS + 1 + rdl_dec_u32(out + RDL_RUN_DIGITS + 1, clock_s);
}

/* Returns 0 if INFO was refused: server_info->run may then be that of an earlier run. */
static int knows_run(const struct rdl_conn *c)
{
    return (c->cfg->server_info->has & RDL_INFO_RUN) != 0;
}

/*
 * Returns when this run of the server created the canary; 0: it did not, or the value is no canary. A client
 * that does not know the run accepts any run. Otherwise two users, of which one may not use INFO, would
 * replace each other's canaries for ever.
 */
static uint32_t read_value(const struct rdl_conn *c)
{
    char mine[VALUE_MAX];
    uint64_t run = c->cfg->server_info->run;
    uint32_t clock_s = 0;
    size_t i;

    if (!knows_run(c))
        run = rdl_guard_run(c->reply);
    for (i = RDL_RUN_DIGITS + 1; i < c->reply_len; i++)
        clock_s = clock_s * 10 + (uint32_t)(c->reply[i] - '0') % 10;
    if (write_value(mine, run, clock_s) != c->reply_len || !rdl_is_same(mine, c->reply, c->reply_len))
        return 0;
    return clock_s;
}

/* ---------------------------------------------------------------- check */

/*
 * A stale canary is removed by its text, of which RDL_VALUE_MAX bytes are kept. What is longer, or no text,
 * cannot be removed: no canary is created, so the server never counts.
 */
static int on_value_reply(struct rdl_conn *c, struct rdl_record *r)
{
    int is_other_type = c->reply_kind == RDL_RESP_ERROR && rdl_error_code(c->reply) == RDL_E_WRONGTYPE;

    if (c->reply_kind == RDL_RESP_NIL) {
        r->verdict = RDL_ANSWER_ABSENT;
        return RDL_OK;
    }
    if (is_other_type || (c->reply_kind == RDL_RESP_BULK && c->reply_len > RDL_VALUE_MAX)) {
        rdl_conn_set_text(c, RDL_CANARY_KEY " is another program's: delete it");
        r->verdict = RDL_ANSWER_ERROR;
        r->error = RDL_E_WRONGTYPE;
        return RDL_OK;
    }
    if (c->reply_kind != RDL_RESP_BULK)
        return rdl_reply_error(c, r);
    rdl_record_copy_text(c, r, RDL_VALUE_MAX);
    r->ttl_ms = read_value(c); /* unused once the request is sent; the age counts from it */
    r->verdict = r->ttl_ms != 0 ? RDL_ANSWER_YES : RDL_ANSWER_NO;
    return RDL_OK;
}

static int look_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    int64_t clock_s = c->reply_value;
    int64_t age_s;

    if (r->replies == 0)
        return on_value_reply(c, r);
    if (c->reply_kind != RDL_RESP_ARRAY)
        return rdl_reply_error(c, r);
    if (c->reply_items < 2)
        return RDL_E_UNEXPECTED;
    if (clock_s < 1 || clock_s > UINT32_MAX) { /* a bad clock is no fault of the connection */
        r->verdict = RDL_ANSWER_ERROR;
        r->error = RDL_E_UNEXPECTED;
    }
    if (r->verdict != RDL_ANSWER_YES) {
        rdl_record_complete(r, clock_s);
        return RDL_OK;
    }
    age_s = clock_s > r->ttl_ms ? clock_s - r->ttl_ms : 0;
    if (age_s > RDL_CANARY_AGE_MAX)
        age_s = RDL_CANARY_AGE_MAX;
    rdl_record_complete(r, (int64_t)r->ttl_ms << RDL_CANARY_AGE_BITS | age_s);
    return RDL_OK;
}

static const struct rdl_method look_method = {.commands = RDL_COMMANDS(rdl_wire_get, rdl_wire_time),
                                              .on_reply = look_on_reply,
                                              .take = rdl_take_numbers};
const struct rdl_op rdl_op_canary_look = {.methods = RDL_METHOD(&look_method)};

/* ---------------------------------------------------------------- create */

static const struct rdl_op make_by_clock;

/* Writes the arguments: c and s for the script, v the canary's value. The script adds the time itself. */
static void make_write_args(struct rdl_slice *w, const char *const *commands,
                            const struct rdl_bytes own[RDL_LETTERS], const struct rdl_conn *c,
                            const struct rdl_record *r)
{
    char text[VALUE_MAX];
    size_t len = write_value(text, knows_run(c) ? c->cfg->server_info->run : 0, r->ttl_ms);
    struct rdl_bytes all[] = {
        own[RDL_LETTER_K], {text, r->op == &make_by_clock ? len : RDL_RUN_DIGITS + 1}, {0}, {0}};
    const struct rdl_args args = {"kvcs", all, 4};

    rdl_script_call(&rdl_script_canary, 0, &all[2], &all[3]);
    rdl_slice_write_all(w, commands, &args);
}

static int make_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    int rc = rdl_script_on_reply(c, r);

    r->is_refused = r->verdict == RDL_ANSWER_ERROR; /* after any error: by the clock of the check */
    return rc;
}

/* Always sent with the script's text, never its SHA1: it is rarely sent. */
static const struct rdl_method make_method = {.commands = RDL_COMMANDS(rdl_wire_call_release),
                                              .write_args = make_write_args,
                                              .on_reply = make_on_reply};
static const struct rdl_method clock_method = {
    .commands = RDL_COMMANDS(rdl_wire_setnx), .write_args = make_write_args, .on_reply = make_on_reply};
const struct rdl_op rdl_op_canary_make = {
    .methods = RDL_METHOD(&make_method), .then = &make_by_clock, .must_send = RDL_SEND_HERE};
static const struct rdl_op make_by_clock = {.methods = RDL_METHOD(&clock_method), .must_send = RDL_SEND_HERE};

/* ---------------------------------------------------------------- effect on the votes */

static const char key[] = RDL_CANARY_KEY;

enum stage {
    LOOK_NONE,
    LOOK_DUE, /* not sent yet: no room, or the vote's request was sent again */
    LOOK_OUT,
    LOOK_DONE
};

static int submit(const struct rdl_redlock *r, size_t i, const struct rdl_op *op)
{
    struct rdl_canary *c = &r->canaries[i];
    struct rdl_command cmd;

    rdl_zero(&cmd, sizeof cmd); /* until_ms, too: it is not repeated over another connection */
    cmd.op = op;
    cmd.name = (struct rdl_bytes){key, sizeof key - 1};
    cmd.value.data = c->found; /* what a release deletes */
    cmd.value.len = c->req.text_len;
    cmd.ttl_ms = op == &rdl_op_release_strict ? 0 : c->created_s; /* a release's is in ms */
    return rdl_conn_submit(r->servers[i].conn, op == &rdl_op_canary_look ? &c->req : NULL, &cmd);
}

/* Sends the check. If the vote's request is sent again, after this check, it is sent again, too. */
static void canary_ask(struct rdl_redlock *r, size_t i)
{
    struct rdl_canary *c = &r->canaries[i];

    rdl_conn_abandon(r->servers[i].conn, &c->req);
    c->is_early = 1;
    c->stage = submit(r, i, &rdl_op_canary_look) == RDL_OK ? LOOK_OUT : LOOK_DUE;
}

/*
 * Records a canary that this run created. The age is cut to seconds, so the earlier of two estimates is the
 * better one. STRICT trusts no server's clock: it counts from when we first saw the canary. If we had it
 * created, that was in the second of the check or in the next one.
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
        submit(r, i, &rdl_op_release_strict);
    submit(r, i, &rdl_op_canary_make);
}

static uint64_t canary_counts_at(const struct rdl_redlock *r, size_t i)
{
    return rdl_guard_quarantine_end(r, r->canaries[i].since_ms);
}

/* Decides what a server's yes is worth. */
static enum rdl_vote canary_confirm(struct rdl_redlock *r, size_t i, int *error)
{
    struct rdl_canary *c = &r->canaries[i];
    struct rdl_server *s = &r->servers[i];
    int is_refused;

    if (c->is_early && s->req.was_reordered) /* the vote was sent again after the check: check again */
        c->stage = LOOK_DUE;
    c->is_early = 0;
    if (c->stage == LOOK_DUE && submit(r, i, &rdl_op_canary_look) == RDL_OK)
        c->stage = LOOK_OUT;
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

/* Discards a check whose reply was not evaluated; the next vote sends it again. */
static void canary_drop(struct rdl_redlock *r, size_t i)
{
    rdl_conn_abandon(r->servers[i].conn, &r->canaries[i].req);
    r->canaries[i].stage = LOOK_NONE;
}

static const struct rdl_canary_ops canary_ops = {canary_ask, canary_take, canary_confirm, canary_drop,
                                                 canary_counts_at};

void rdl_redlock_set_canary(struct rdl_redlock *r, struct rdl_canary *each)
{
    size_t i;

    RDL_ASSERT(r->state == REDLOCK_IDLE);
    for (i = 0; i < r->n; i++)
        RDL_ASSERT(!rdl_conn_refers_to(r->servers[i].conn, each, r->n * sizeof *each)); /* they are in use */
    rdl_zero(each, r->n * sizeof *each);
    for (i = 0; i < r->n; i++) {
        each[i].ops = &canary_ops;
        each[i].req.text = each[i].found;
        each[i].since_ms = INT64_MIN / 2; /* not checked yet: it does not keep the server from counting */
    }
    r->canaries = each;
}
