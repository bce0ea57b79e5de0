/* SPDX-License-Identifier: MIT */
/*
 * net_op_canary.c - the canary: a key without expiry that says which run of the server it was made by, and
 * when.
 *
 * Whatever takes a server's data away without ending our connection takes the canary with it, or brings that
 * of another server: FLUSHALL, a replica that was promoted. Its value is "<16 digits of the run_id>
 * <seconds>".
 *
 * A script makes it, because what is on its way for long must not say that it was made before: who read that
 * would believe that the server has its data since then. Where no script may (before Redis 5, or refused) the
 * time is that of the look: if such a SETNX arrives later than a quarantine lasts, and behind a FLUSHALL, the
 * canary is older than the data.
 */
#include "net/net_private.h"
#include "resp/resp_bytes.h"

enum { RUN_DIGITS = 16, VALUE_MAX = RUN_DIGITS + 1 + RDL_DEC_MAX };

/* ---------------------------------------------------------------- its value */

static size_t write_value(char out[VALUE_MAX], uint64_t run, uint32_t clock_s)
{
    static const char digits[] = "0123456789abcdef";
    size_t i;

    for (i = 0; i < RUN_DIGITS; i++)
        out[i] = digits[run >> (60 - 4 * i) & 15];
    out[RUN_DIGITS] = ' ';
    return RUN_DIGITS + 1 + rdl_dec_u32(out + RUN_DIGITS + 1, clock_s);
}

/* INFO is refused: nobody told us which run this is. Another one before it, maybe. */
static int knows_run(const struct rdl_conn *c)
{
    return (c->facts.has & RDL_FACT_RUN) != 0;
}

static uint64_t read_run(const struct rdl_conn *c)
{
    uint64_t run = 0;
    size_t i;

    for (i = 0; i < RUN_DIGITS && i < c->reply_len; i++)
        run = run << 4 | (uint64_t)(c->reply[i] <= '9' ? c->reply[i] - '0' : (c->reply[i] - 'a' + 10) & 15);
    return run;
}

/*
 * When it was made by this run of the server; 0: it was not, or is none of ours. Who does not know the run
 * takes any: else two users, one of whom may not use INFO, would replace each other's for ever.
 */
static uint32_t read_value(const struct rdl_conn *c)
{
    char mine[VALUE_MAX];
    uint64_t run = c->facts.run;
    uint32_t clock_s = 0;
    size_t i;

    if (c->reply_len > VALUE_MAX)
        return 0;
    if (!knows_run(c))
        run = read_run(c);
    for (i = RUN_DIGITS + 1; i < c->reply_len; i++)
        clock_s = clock_s * 10 + (uint32_t)(c->reply[i] - '0') % 10;
    if (write_value(mine, run, clock_s) != c->reply_len || !rdl_is_same(mine, c->reply, c->reply_len))
        return 0;
    return clock_s;
}

/* ---------------------------------------------------------------- look */

/* What is to be removed if it is stale. Cut, it is not what stands there, and stays. */
static void keep_text(const struct rdl_conn *c, const struct rdl_record *r)
{
    if (r->req == NULL || r->req->text == NULL)
        return;
    r->req->text_len = c->reply_len < RDL_VALUE_MAX ? c->reply_len : RDL_VALUE_MAX;
    rdl_copy(r->req->text, c->reply, r->req->text_len);
}

static int judge_value(struct rdl_conn *c, struct rdl_record *r)
{
    if (c->reply_kind == RDL_RESP_NIL) {
        r->verdict = RDL_ANSWER_ABSENT;
        return RDL_OK;
    }
    if (c->reply_kind != RDL_RESP_BULK)
        return rdl_reply_error(c, r);
    keep_text(c, r);
    r->ttl_ms = read_value(c); /* sent, so it has no other use for that */
    r->verdict = r->ttl_ms != 0 ? RDL_ANSWER_YES : RDL_ANSWER_NO;
    return RDL_OK;
}

static int look_judge(struct rdl_conn *c, struct rdl_record *r)
{
    int64_t clock_s = c->reply_value;
    int64_t age_s;

    if (r->replies == 0)
        return judge_value(c, r);
    if (c->reply_kind != RDL_RESP_ARRAY)
        return rdl_reply_error(c, r);
    if (c->reply_items < 2 || clock_s < 1 || clock_s > UINT32_MAX)
        return RDL_E_UNASKED;
    if (r->verdict != RDL_ANSWER_YES) {
        rdl_record_tell(r, clock_s);
        return RDL_OK;
    }
    age_s = clock_s > r->ttl_ms ? clock_s - r->ttl_ms : 0;
    if (age_s > RDL_CANARY_AGE_MAX)
        age_s = RDL_CANARY_AGE_MAX;
    rdl_record_tell(r, (int64_t)r->ttl_ms << RDL_CANARY_AGE_BITS | age_s);
    return RDL_OK;
}

static const char *const look_commands[] = {rdl_wire_get, rdl_wire_time, NULL};
static const struct rdl_way look_way = {
    .commands = look_commands, .judge = look_judge, .take = rdl_take_numbers};
static const struct rdl_way *const look[] = {&look_way, NULL};

const struct rdl_op rdl_op_canary_look = {look, NULL, FAMILY_DIRECT, 0, OWED_NOT};

/* ---------------------------------------------------------------- make */

static const struct rdl_op make_by_clock;

/* c and s, v: its value; for the script without the time, which that writes. */
static void make_put(struct rdl_window *w, const char *const *commands,
                     const struct rdl_bytes own[RDL_LETTERS], const struct rdl_conn *c,
                     const struct rdl_record *r)
{
    char text[VALUE_MAX];
    size_t len = write_value(text, knows_run(c) ? c->facts.run : 0, r->ttl_ms);
    struct rdl_bytes all[] = {
        own[LETTER_K], {text, r->op == &make_by_clock ? len : RUN_DIGITS + 1}, {0}, {0}};
    const struct rdl_args args = {"kvcs", all, 4};

    rdl_script_call(&rdl_script_canary, 0, &all[2], &all[3]);
    rdl_window_commands(w, commands, &args);
}

static int make_judge(struct rdl_conn *c, struct rdl_record *r)
{
    int rc = rdl_script_judge(c, r);

    if (rc == RDL_OK && r->verdict == RDL_ANSWER_ERROR && r->op == &rdl_op_canary_make) {
        r->op = &make_by_clock;
        r->is_refused = 1;
    }
    return rc;
}

/* Rarely sent: always with its text, so that what is refused is not the sum. */
static const char *const make_call[] = {rdl_wire_call_release, NULL};
static const struct rdl_way make_way = {.commands = make_call, .put = make_put, .judge = make_judge};
static const struct rdl_way *const make[] = {&make_way, NULL};

static const char *const clock_commands[] = {rdl_wire_setnx, NULL};
static const struct rdl_way clock_way = {.commands = clock_commands, .put = make_put, .judge = make_judge};
static const struct rdl_way *const by_clock[] = {&clock_way, NULL};

const struct rdl_op rdl_op_canary_make = {make, NULL, FAMILY_DIRECT, 0, OWED_HERE};
static const struct rdl_op make_by_clock = {by_clock, NULL, FAMILY_DIRECT, 0, OWED_HERE};
