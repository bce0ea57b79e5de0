/* SPDX-License-Identifier: MIT */
/*
 * check_lock_anomaly.c - anything may fail: the transport's 1st operation, its 2nd, ... until a run has no
 * fault; once, or every time from then on; in each operation of each mode. A neighbour uses another lock on
 * the same conn, so a reply that reaches the wrong lock is noticed.
 *
 * At any moment of any run, a lock with time left has its key on the server for that time, and our keys
 * expire. Each operation ends by its deadline. Afterwards no key is left, and the conn is idle.
 *
 * Rules R4, R5, R6 and R9.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lock/lock_lease.h"
#include "lock/lock_multi.h"
#include "tests/sim/any_lock.h"
#include "tests/fixtures/faulty.h"
#include "tests/suite.h"

#define OVER "1699999000.5" /* a legacy lease that ended long ago */

enum { TTL = 10000, ATTEMPT = 250, BEGIN = 5000, WAIT_MS = 3000, NEIGHBOUR_MS = 7000000 };
enum { SEVERAL = MODE_LEGACY_SHORTEST + 1 }; /* several locks in one */

static const struct kind {
    const char *name;
    unsigned mode; /* enum any_mode, or SEVERAL */
    struct sim_features features;
} kinds[] = {
    {"plain", MODE_PLAIN, {.version = "7.0.15", .password = "pw"}},
    {"plain, DELEX", MODE_PLAIN, {.version = "8.6.3", .password = "pw", .has_delex = 1}},
    {"plain, DELIFEQ", MODE_PLAIN, {.version = "9.1.2", .password = "pw", .has_delifeq = 1}},
    {"plain, WATCH", MODE_PLAIN, {.version = "7.0.15", .password = "pw", .no_scripts = 1}},
    {"fenced", MODE_FENCED, {.version = "7.0.15", .password = "pw"}},
    {"several", SEVERAL, {.version = "7.0.15", .password = "pw"}},
    {"legacy", MODE_LEGACY, {.version = "7.0.15", .password = "pw"}},
    {"legacy, integer", MODE_LEGACY_INTEGER, {.version = "7.0.15", .password = "pw"}},
    {"legacy, WATCH", MODE_LEGACY, {.version = "7.0.15", .password = "pw", .no_scripts = 1}},
    {"legacy, GETSET",
     MODE_LEGACY,
     {.version = "7.0.15", .password = "pw", .no_scripts = 1, .denied = " watch "}},
};

enum operation { CONNECT_AND_ACQUIRE, ACQUIRE, WAIT, TAKE_OVER, EXTEND, RELEASE, OPERATIONS };
enum { KINDS = sizeof kinds / sizeof kinds[0], NAMES = 3 };

static const struct rdl_bytes several[NAMES] = {{"x", 1}, {"k", 1}, {"y", 1}};

static struct faulty f;
static union any_lock own;
static struct rdl_lock *const l = &own.lock;
static struct rdl_lock neighbour;
static struct rdl_lock_options opt;
static const struct rdl_lock_options once = {.ttl_ms = TTL, .attempt_ms = ATTEMPT};
static uint8_t packed[RDL_NAME_MAX];
static const struct kind *kind;
static enum operation operation;
static uint64_t now;

/* No ck_assert: each of those writes a line, and there are some millions. */
static void claim(int is_true, const char *what)
{
    if (!is_true)
        ck_abort_msg("%s, operation %d, fault %d at %u%s, %llu ms: not so: %s", kind->name, operation,
                     f.fault, f.at, f.is_for_ever ? " for ever" : "", (unsigned long long)(now - BEGIN),
                     what);
}

static int is_integer(void)
{
    return kind->mode == MODE_LEGACY_INTEGER;
}

static int is_legacy(void)
{
    return kind->mode == MODE_LEGACY || is_integer();
}

static int compares_nothing(void)
{
    return kind->features.denied != NULL;
}

static int is_refusal(int rc)
{
    return compares_nothing() && (rc == RDL_E_UNSUPPORTED || rc == RDL_E_PERM);
}

/* ---------------------------------------------------------------- what is on the server */

static struct sim_key *find(struct rdl_bytes name)
{
    struct sim_arg arg = {name.data, name.len};

    return sim_server_find(&f.s.model, 1, arg, now + FAULTY_CLOCK_MS);
}

static int is_stranger(const struct sim_key *k)
{
    return memcmp(k->value, "other", 5) == 0 || memcmp(k->value, OVER, sizeof OVER - 1) == 0;
}

/* How long the key still has our value; 0: it does not have it. */
static uint64_t ours_ms(struct rdl_bytes name)
{
    const struct sim_key *k = find(name);
    char value[RDL_TOKEN_TEXT_MAX] = "";
    uint64_t end;

    if (k == NULL || is_stranger(k))
        return 0;
    if (is_legacy()) {
        memcpy(value, k->value, k->value_len);
        end = strtoull(value, NULL, 10) * 1000;
    } else {
        end = k->expire_ms;
        if (rdl_lock_value(l, value) != k->value_len || memcmp(value, k->value, k->value_len) != 0)
            return 0;
    }
    return end > now + FAULTY_CLOCK_MS ? end - now - FAULTY_CLOCK_MS : 0;
}

static void assert_truth(void)
{
    uint32_t left_ms = rdl_lock_remaining_ms(l, now);
    size_t i;

    for (i = 0; i < NAMES; i++) {
        const struct sim_key *k = find(several[i]);
        if (left_ms > 0 && (kind->mode == SEVERAL || i == 1))
            claim(ours_ms(several[i]) >= left_ms, "a held key is on the server for that time");
        if (k != NULL && !is_legacy())
            claim(k->expire_ms != 0, "a key ends by itself");
    }
    claim(rdl_lock_remaining_ms(&neighbour, now) == 0, "the neighbour never gets another client's lock");
}

/*
 * No key of ours is left. Exceptions in legacy mode: a value that nothing could delete in time, a whole
 * number without a reply, and an extension with an unknown result. Each of these values says when it expires.
 */
static void assert_nothing_left(void)
{
    int may_stay = is_legacy() && f.hits > 0 &&
                   (operation == EXTEND || f.is_for_ever || compares_nothing() || is_integer());
    size_t i;

    for (i = 0; i < NAMES; i++) {
        const struct sim_key *k = find(several[i]);
        if (k == NULL || is_stranger(k))
            continue;
        claim(may_stay, "no key is left");
        claim(ours_ms(several[i]) <= 2 * TTL, "and if so, it ends");
    }
    for (i = 0; i < SIM_KEYS; i++)
        claim(!f.s.model.key[i].used || f.s.model.key[i].db == 1, "no other database has a key");
}

/* ---------------------------------------------------------------- time */

/* A hop takes a millisecond; with nothing to do, time jumps to the next event. */
static void turn(uint64_t until_ms)
{
    uint64_t at = faulty_wakes(&f, now);

    if (faulty_drive(&f, now)) {
        now++;
    } else {
        at = at < until_ms ? at : until_ms;
        if (rdl_lock_step(&neighbour, now) == RDL_PENDING && rdl_lock_wake_ms(&neighbour) < at)
            at = rdl_lock_wake_ms(&neighbour);
        now = at > now && at != UINT64_MAX ? at : now + 1;
    }
    rdl_lock_step(&neighbour, now);
}

static int finish(struct rdl_lock *lock, int rc, uint64_t bound_ms)
{
    uint64_t end = now + bound_ms;

    while (rc == RDL_PENDING) {
        turn(rdl_lock_wake_ms(lock));
        rc = rdl_lock_step(lock, now);
        assert_truth();
        claim(rc != RDL_PENDING || now < end, "an operation ends by its deadline");
    }
    return rc;
}

static int is_settled(void)
{
    return rdl_conn_is_idle(&f.s.conn) && rdl_lock_step(&neighbour, now) != RDL_PENDING &&
           (rdl_conn_state(&f.s.conn) == RDL_CONN_READY || rdl_conn_state(&f.s.conn) == RDL_CONN_CLOSED);
}

/* The owner of the conn keeps driving it until nothing is pending, or until that time. */
static void settle(uint64_t until_ms)
{
    int turns = 0;

    while (!is_settled() && now < until_ms) {
        turn(rdl_conn_tick(&f.s.conn, now) < until_ms ? rdl_conn_tick(&f.s.conn, now) : until_ms);
        rdl_lock_step(l, now);
        assert_truth();
        claim(turns++ < 5000, "a conn comes to rest");
    }
}

/* ---------------------------------------------------------------- the operations */

static int acquire(struct rdl_lock *lock)
{
    static uint8_t entropy[RDL_ENTROPY_LEN];

    entropy[0]++;
    return rdl_lock_acquire_begin(lock, entropy, now);
}

static void prepare(void)
{
    static const char password[] = "pw";

    now = BEGIN;
    faulty_init(&f, &kind->features, now);
    f.s.endpoint.password.data = password;
    f.s.endpoint.password.len = 2;
    f.s.endpoint.db = 1;
    opt = once;
    if (kind->mode == SEVERAL)
        claim(rdl_lock_init_multi(l, &opt, &f.s.conn, several, NAMES, packed) == RDL_OK, "names");
    else
        any_lock_init(&own, (enum any_mode)kind->mode, &opt, &f.s.conn, "k", 1);
    rdl_lock_init(&neighbour, &once, &f.s.conn, "b", 1);
    faulty_command(&f, "SET b other PX 7000000\r\n", now);
    if (operation == CONNECT_AND_ACQUIRE)
        return;
    rdl_conn_tick(&f.s.conn, now);
    while (faulty_drive(&f, now))
        ;
    if (operation == WAIT) {
        faulty_command(&f, "SET k other PX 300\r\n", now);
        opt.wait_ms = WAIT_MS;
        opt.retry_ms = 20;
    } else if (operation == TAKE_OVER) {
        faulty_command(&f, "SET k " OVER "\r\n", now);
    } else if (operation >= EXTEND) {
        claim(finish(l, acquire(l), ATTEMPT) == RDL_OK, "the lock is free");
        now += 1000;
    }
}

static int is_transport(int rc)
{
    return rc == RDL_UNKNOWN || rc == RDL_E_CONNECT || rc == RDL_E_CLOSED || rc == RDL_E_TIMEOUT;
}

static void do_it(void)
{
    uint64_t bound_ms = operation == WAIT                  ? WAIT_MS + ATTEMPT
                        : operation == CONNECT_AND_ACQUIRE ? 2000 + ATTEMPT
                                                           : ATTEMPT;
    uint32_t left_ms = rdl_lock_remaining_ms(l, now);
    int good = operation == TAKE_OVER ? RDL_RECOVERED : RDL_OK;
    int rc;

    if (operation == EXTEND)
        rc = rdl_lock_extend_begin(l, TTL, now);
    else
        rc = operation == RELEASE ? rdl_lock_release_begin(l, now) : acquire(l);
    acquire(&neighbour);
    rc = finish(l, rc, bound_ms);
    claim(rc == good || is_transport(rc) ||
              (rc == RDL_BUSY && (operation == WAIT || operation == TAKE_OVER)) ||
              (operation == EXTEND && is_refusal(rc)),
          "the result is a possible one");
    claim(rc == good || f.hits > 0 || (operation == EXTEND && is_refusal(rc)), "without a fault it succeeds");
    if (rc == good && operation != RELEASE)
        claim(rdl_lock_remaining_ms(l, now) > left_ms, "a successful operation adds time");
    else if (operation != EXTEND)
        claim(rdl_lock_remaining_ms(l, now) == 0, "a failed one leaves no time");
}

static void release_lock(void)
{
    if (rdl_lock_remaining_ms(l, now) > 0) {
        int rc = finish(l, rdl_lock_release_begin(l, now), ATTEMPT);
        claim(rc == RDL_OK || is_refusal(rc) || (is_legacy() && operation == EXTEND && rc == RDL_LOST),
              "what is held is released");
    }
    rdl_lock_cancel(l);
    settle(now + 2 * TTL);
}

/* The conn works like a new one: each lock gets its own replies. */
static void assert_good_conn(void)
{
    struct rdl_lock fresh;
    int64_t most_ms = NEIGHBOUR_MS - (int64_t)(now - BEGIN);
    int rc;

    rdl_lock_init(&fresh, &once, &f.s.conn, "fresh", 5);
    claim(acquire(&neighbour) == RDL_PENDING, "the neighbour tries again");
    claim(finish(&fresh, acquire(&fresh), 2 * ATTEMPT + 2000) == RDL_OK, "a free lock is granted");
    claim(finish(&neighbour, RDL_PENDING, ATTEMPT) == RDL_BUSY, "a taken one is not");
    claim(rdl_lock_holder_ms(&neighbour) <= most_ms && rdl_lock_holder_ms(&neighbour) > most_ms - 2 * ATTEMPT,
          "and reports the remaining time");
    rc = finish(&fresh, rdl_lock_release_begin(&fresh, now), ATTEMPT);
    claim(rc == RDL_OK || is_refusal(rc), "it is released");
    settle(now + 100);
    claim(rdl_conn_is_idle(&f.s.conn) && rdl_conn_state(&f.s.conn) == RDL_CONN_READY, "the conn is at rest");
    claim(rdl_conn_error(&f.s.conn) == RDL_OK, "and has no error");
}

/* One run; returns how often the fault occurred. */
static unsigned run(enum fault fault, unsigned at, int is_for_ever)
{
    prepare();
    faulty_arm(&f, fault, at, is_for_ever);
    do_it();
    settle(now + 2 * TTL);
    claim(is_for_ever || is_settled(), "the conn ends idle or closed");
    faulty_heal(&f);
    do {
        settle(now + 2 * TTL);
        turn(rdl_conn_tick(&f.s.conn, now));
    } while (rdl_conn_state(&f.s.conn) != RDL_CONN_READY);
    release_lock();
    if (fault == FAULT_FREEZE && is_for_ever)
        now += TTL; /* it thawed after its connection was aborted: the key may stay for one ttl */
    assert_nothing_left();
    assert_good_conn();
    return f.hits;
}

static unsigned runs;

/* n = 1, 2, ... until a run has no fault. A permanent cut is tried at every 7th byte. */
static void run_all(enum fault fault, int is_for_ever)
{
    unsigned step = is_for_ever && fault >= FAULT_CUT_SENT ? 7 : 1;
    unsigned at = 1;

    for (; run(fault, at, is_for_ever) > 0; at += step)
        runs++;
    claim(at > 1 || (fault <= FAULT_HANG && operation != CONNECT_AND_ACQUIRE), "the fault came");
}

START_TEST(no_fault_gives_a_false_lease_or_leaves_a_key)
{
    int fault;

    kind = &kinds[_i / OPERATIONS];
    operation = (enum operation)(_i % OPERATIONS);
    if (operation == TAKE_OVER && !is_legacy())
        return;
    for (fault = 0; fault < FAULTS; fault++) {
        run_all((enum fault)fault, 0);
        run_all((enum fault)fault, 1);
    }
    if (getenv("RDL_RUNS"))
        printf("%s, operation %d: %u runs with a fault\n", kind->name, operation, runs);
}
END_TEST

Suite *suite_lock_anomaly(void)
{
    Suite *suite = suite_create("lock_anomaly");
    TCase *tc = suite_case(suite, "anomaly", NULL, NULL);

    tcase_add_loop_test(tc, no_fault_gives_a_false_lease_or_leaves_a_key, 0, KINDS * OPERATIONS);
    return suite;
}
