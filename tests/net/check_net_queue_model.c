/* SPDX-License-Identifier: MIT */
/*
 * check_net_queue_model.c - 10,000 random steps of many locks on one conn, compared with a model that neither
 * packs nor moves anything.
 *
 * Rules R10, R11 and R12.
 */
#include <stdio.h>
#include <string.h>

#include "lock/lock_op.h"
#include "net/net_private.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

static struct scripted s;

enum { ACQUIRE = 1, EXTEND, RELEASE };

static int submit(struct rdl_req *req, uint8_t op, const char *name)
{
    static const struct rdl_op *const ops[] = {NULL, &rdl_op_acquire, &rdl_op_extend, &rdl_op_release};
    struct rdl_command cmd = {ops[op],   {name, strlen(name)}, {token_hex(1), RDL_VALUE_MAX},
                              {NULL, 0}, UINT64_C(1) << 60,    30000};

    return rdl_conn_submit(&s.conn, req, &cmd);
}

enum { REQS = 24, ENTRIES = 128, STEPS = 10000 };

struct entry {
    int req; /* -1: no caller waits */
    uint8_t op, sent;
    uint8_t step; /* replies read */
    char method;  /* EVAL'S'HA, E'V'AL */
    char name[32];
    uint8_t
        may_be_second; /* a release that was sent on an earlier connection, and whose caller still waits */
};

static struct entry q[ENTRIES];
static int nq;
static struct entry pausing[ENTRIES]; /* releases that got a temporary error */
static int np;
static uint64_t now;
static size_t room[REQS]; /* reserved for their releases */
static struct rdl_req reqs[REQS];
static struct rdl_req want[REQS]; /* their expected state */
static int knows[RELEASE + 1];    /* the script of this op was sent by EVAL, and no NOSCRIPT came since */
static uint32_t seed;

static uint32_t random_below(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static void model_answer(int req, int answer, int error, int64_t value)
{
    if (req >= 0)
        want[req] = (struct rdl_req){.value = value, .error = (int16_t)error, .answer = (uint8_t)answer};
}

static void model_remove(int i)
{
    memmove(&q[i], &q[i + 1], sizeof q[0] * (size_t)(--nq - i));
}

static size_t entry_size(const struct entry *e)
{
    return (sizeof(struct rdl_record) + strlen(e->name) + RDL_VALUE_MAX + 7) / 8 * 8;
}

static void step_submit(void)
{
    struct entry e = {0};
    size_t used = 0;
    int fits;
    int i;

    e.req = (int)random_below(REQS);
    e.op = (uint8_t)(ACQUIRE + random_below(3));
    if (e.op == RELEASE && random_below(3) == 0)
        e.req = -1;
    if ((e.req >= 0 && want[e.req].is_queued) || nq + np == ENTRIES)
        return;
    snprintf(e.name, sizeof e.name, "%.*s%u", (int)random_below(20), "a-name-of-some-length",
             random_below(99));
    if (e.op == ACQUIRE)
        room[e.req] = 0;
    if (e.op == RELEASE && e.req >= 0)
        reqs[e.req].may_be_second = 0; /* as a caller does before it submits */
    used = entry_size(&e) * (e.op == RELEASE ? 1 : 2);
    for (i = 0; i < nq; i++)
        used += entry_size(&q[i]);
    for (i = 0; i < np; i++)
        used += entry_size(&pausing[i]);
    for (i = 0; i < REQS; i++)
        used += room[i];
    fits = used <= s.cfg.queue_len;
    if (submit(e.req >= 0 ? &reqs[e.req] : NULL, e.op, e.name) != (fits ? RDL_OK : RDL_E_FULL))
        ck_abort_msg("%zu of %zu bytes", used, s.cfg.queue_len);
    if (!fits)
        return;
    q[nq++] = e;
    room[e.req >= 0 ? e.req : 0] += e.op == ACQUIRE ? entry_size(&e) : 0;
    model_answer(e.req, RDL_ANSWER_NONE, RDL_OK, 0);
    if (e.req >= 0)
        want[e.req].is_queued = 1;
}

static void model_lose(struct entry *e, int error)
{
    if (!e->sent && !e->may_be_second)
        model_answer(e->req, RDL_ANSWER_UNSENT, error, 0);
    else if (e->step == 1 && e->op == ACQUIRE)
        model_answer(e->req, RDL_ANSWER_NO, RDL_OK, -2);
    else
        model_answer(e->req, RDL_ANSWER_UNKNOWN, error, 0);
    e->req = -1;
}

/* Also while its reply is pending: the release then follows it directly. */
static void step_free_room(void)
{
    uint32_t i = random_below(REQS);

    rdl_conn_free_room(&s.conn, &reqs[i]);
    room[i] = 0;
}

static void step_abandon(void)
{
    int i = nq > 0 ? (int)random_below((uint32_t)nq) : -1;

    if (i < 0 || q[i].req < 0)
        return;
    rdl_conn_abandon(&s.conn, &reqs[q[i].req]);
    model_lose(&q[i], RDL_E_TIMEOUT);
    if (!q[i].sent && q[i].op != RELEASE)
        model_remove(i);
}

/* The next command on the wire must be this one, on this key. */
static void expect(const uint8_t **in, size_t *len, const char *command, int key_at, const char *name)
{
    struct sim_arg argv[SIM_ARGS];
    const char *why;
    int argc;
    long n = sim_request_parse(*in, *len, argv, &argc, &why);

    if (n <= 0 || !sim_arg_is(argv[0], command) || argv[key_at].len != strlen(name) ||
        memcmp(argv[key_at].data, name, strlen(name)) != 0)
        ck_abort_msg("not %s of %s: %.200s", command, name, (const char *)*in);
    *in += n;
    *len -= (size_t)n;
}

static void step_send(void)
{
    const uint8_t *in = (const uint8_t *)scripted_sent(&s);
    size_t len = strlen((const char *)in);
    int i;

    for (i = 0; i < nq; i++) {
        struct entry *e = &q[i];
        if (e->sent)
            continue;
        e->sent = 1;
        e->method = knows[e->op] ? 'S' : 'V';
        knows[e->op] = 1;
        if (e->op != ACQUIRE) {
            expect(&in, &len, e->method == 'S' ? "EVALSHA" : "EVAL", 3, e->name);
            continue;
        }
        expect(&in, &len, "SET", 1, e->name);
        expect(&in, &len, "PTTL", 1, e->name);
    }
    if (len != 0)
        ck_abort_msg("%zu bytes too many", len);
}

static void reply_to_acquire(struct entry *e)
{
    static const char *const set[] = {"+OK\r\n", "$-1\r\n", "-OOM command not allowed\r\n"};
    static const int answer[] = {RDL_ANSWER_YES, RDL_ANSWER_NO, RDL_ANSWER_ERROR};
    unsigned i = random_below(3);

    if (e->step == 1) {
        scripted_reply(&s, ":12345\r\n");
        model_answer(e->req, RDL_ANSWER_NO, RDL_OK, 12345);
        model_remove(0);
        return;
    }
    scripted_reply(&s, set[i]);
    e->step = 1;
    if (answer[i] == RDL_ANSWER_NO) /* its PTTL is still to come */
        return;
    model_answer(e->req, answer[i], i == 2 ? RDL_E_TRY_LATER : RDL_OK, 0);
    e->req = -1;
}

static void reply_to_script(struct entry *e)
{
    static const char *const replies[] = {":1\r\n", ":0\r\n", ":-1\r\n", "-BUSY Redis is busy\r\n",
                                          "-WRONGTYPE x\r\n"};
    static const int answers[] = {RDL_ANSWER_YES, RDL_ANSWER_NO, RDL_ANSWER_ABSENT, RDL_ANSWER_ERROR,
                                  RDL_ANSWER_NO};
    unsigned i = random_below(e->method == 'S' ? 6 : 5);

    if (i == 5) {
        struct entry again = *e;
        scripted_reply(&s, "-NOSCRIPT No matching script.\r\n");
        knows[EXTEND] = knows[RELEASE] = 0;
        model_remove(0);
        again.sent = 0;
        if (again.req >= 0 || again.op == RELEASE) /* else no caller waits for it */
            q[nq++] = again;
        return;
    }
    scripted_reply(&s, replies[i]);
    model_answer(e->req, answers[i], i == 3 ? RDL_E_TRY_LATER : RDL_OK, 0);
    if (i == 3 && e->op == RELEASE) {
        if (e->method == 'V') /* the server did not load the text */
            knows[EXTEND] = knows[RELEASE] = 0;
        pausing[np] = *e;
        pausing[np].req = -1;
        pausing[np].may_be_second = pausing[np].sent = 0;
        np++;
    }
    model_remove(0);
}

static void step_reply(void)
{
    if (q[0].op == ACQUIRE)
        reply_to_acquire(&q[0]);
    else
        reply_to_script(&q[0]);
}

/* Pausing releases are sent again, after all others. */
static void step_resume(void)
{
    int i;

    for (i = 0; i < 2; i++) { /* the clock that ends pauses may have been set at random on this connection */
        now += 256;
        rdl_conn_tick(&s.conn, now);
    }
    memcpy(&q[nq], pausing, sizeof q[0] * (size_t)np);
    nq += np;
    np = 0;
}

/* On the next connection the pausing releases go first. */
static void step_break(void)
{
    int i = np;

    scripted_break(&s);
    memmove(&q[np], q, sizeof q[0] * (size_t)nq);
    memcpy(q, pausing, sizeof q[0] * (size_t)np);
    nq += np;
    np = 0;
    while (i < nq) {
        if (q[i].op == RELEASE && q[i].sent && q[i].req >= 0 && !q[i].may_be_second)
            q[i].may_be_second = 1; /* its caller waits once more, on the next connection */
        else
            model_lose(&q[i], RDL_E_CLOSED);
        q[i].sent = q[i].step = 0;
        if (q[i].op == RELEASE)
            i++;
        else
            model_remove(i);
    }
    knows[EXTEND] = knows[RELEASE] = 0;
    scripted_open(&s, now);
}

/* One assertion for all: Check writes a file for each. */
static void compare(int step)
{
    int same = rdl_conn_state(&s.conn) == RDL_CONN_READY && rdl_conn_is_idle(&s.conn) == (nq + np == 0) &&
               rdl_conn_waiting(&s.conn) == (unsigned)(nq + np);
    int i;

    for (i = 0; i < REQS; i++)
        same = same && reqs[i].value == want[i].value && reqs[i].error == want[i].error &&
               reqs[i].answer == want[i].answer && reqs[i].is_queued == want[i].is_queued;
    if (!same)
        ck_abort_msg("conn and model differ after step %d", step);
}

START_TEST(many_locks_on_one_conn_never_mix_up_their_replies)
{
    int step;

    scripted_init(&s);
    seed = (uint32_t)_i * 7919u + 1;
    now = 1000;
    s.cfg.queue_len = 512 + (size_t)_i * 331;
    scripted_open(&s, 1000);
    for (step = 0; step < STEPS; step++) {
        uint32_t dice = random_below(100);
        if (dice < 32)
            step_submit();
        else if (dice < 33)
            step_resume();
        else if (dice < 42)
            step_free_room();
        else if (dice < 48)
            step_abandon();
        else if (dice < 60)
            step_send();
        else if (dice < 99 && nq > 0 && q[0].sent)
            step_reply();
        else if (dice == 99 && random_below(4) == 0)
            step_break();
        compare(step);
    }
}
END_TEST

Suite *suite_net_queue_model(void)
{
    Suite *suite = suite_create("net_queue_model");
    TCase *tc = suite_case(suite, "model", NULL, NULL);

    tcase_add_loop_test(tc, many_locks_on_one_conn_never_mix_up_their_replies, 0, 8);
    return suite;
}
