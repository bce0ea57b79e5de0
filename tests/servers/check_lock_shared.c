/* SPDX-License-Identifier: MIT */
/*
 * A thousand locks over one connection to a real server: acquired, extended, released and cancelled in random
 * order, with hundreds of requests in flight. No reply reaches the wrong lock: each expected result is known
 * and identifies its lock. Others hold a tenth of the locks, each for a different time. A third has fences,
 * each in its own range; some are stolen or deleted while they are held.
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lock/lock_io.h"
#include "lock/lock_op.h"
#include "tests/sim/any_lock.h"
#include "tests/fixtures/client.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

enum {
    LOCKS = 1000,
    STEPS = 40000,
    TTL = 600000,
    STRANGERS_MS = 10000000, /* remaining time of lock 0; every further one has a STEP_MS more */
    STEP_MS = 100000,
    FENCE = 1000000,  /* difference of the fences of two locks */
    CHECK_HEAP = 1024 /* bytes that Check itself may keep: each assertion allocates its place and frees it */
};

enum truth { FREE, HELD, STOLEN, GONE };

static struct slot {
    union any_lock own;
    char name[8];
    enum truth truth;
    enum rdl_action action;
    int is_pending;
    unsigned acquires; /* begun: each may have counted */
    uint64_t fence;
} slots[LOCKS];

static const struct rdl_lock_options opt = {.ttl_ms = TTL, .attempt_ms = 30000};
static struct live_server server;
static struct client client;
static uint64_t queue[512 / 8 * LOCKS];
static uint32_t seed = 7;
static unsigned counts[8];
static uint32_t most_waiting;

static uint32_t below(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static int is_strangers(const struct slot *s)
{
    return (s - slots) % 10 == 0;
}

static int is_fenced(const struct slot *s)
{
    return (s - slots) % 3 == 1;
}

/* No ck_assert on success: each of those writes a line. */
static void claim(const struct slot *s, int is_true, const char *what, int rc)
{
    if (!is_true)
        ck_abort_msg("%s, action %d, truth %d: %s (%d)", s->name, s->action, s->truth, what, rc);
}

static void setup(void)
{
    char url[256];
    int i;

    client_setup();
    memset(&server, 0, sizeof server);
    live_start(&server);
    client_init(&client, live_url(&server, LIVE_V4, url, sizeof url));
    client.cfg.queue = queue;
    client.cfg.queue_len = sizeof queue;
    for (i = 0; i < LOCKS; i++) {
        struct slot *s = &slots[i];
        snprintf(s->name, sizeof s->name, "l%d", i);
        any_lock_init(&s->own, is_fenced(s) ? MODE_FENCED : MODE_PLAIN, &opt, &client.conn, s->name,
                      strlen(s->name));
        s->fence = (uint64_t)(i + 1) * FENCE;
        if (is_fenced(s))
            rdl_lock_set_min_fence(&s->own.fenced, s->fence + 1);
        if (is_strangers(s))
            live_command(&server, "SET %s other PX %d", s->name, STRANGERS_MS + i * STEP_MS);
    }
}

/* Find out first which methods the server supports: until then a release may be sent again, after others. */
static void teach(void)
{
    struct rdl_lock_fenced first;

    rdl_lock_init_fenced(&first, &opt, &client.conn, "first", 5);
    ck_assert_int_eq(rdl_lock_acquire(&first.lock, &client_platform), RDL_OK);
    ck_assert_int_eq(rdl_lock_extend(&first.lock, &client_platform, TTL), RDL_OK);
    ck_assert_int_eq(rdl_lock_release(&first.lock, &client_platform), RDL_OK);
}

static void teardown(void)
{
    live_remove(&server);
}

/* ---------------------------------------------------------------- expected results */

static void check_acquire(struct slot *s, int rc)
{
    int64_t ms = STRANGERS_MS + (s - slots) * STEP_MS;

    if (is_strangers(s)) {
        claim(s, rc == RDL_BUSY && rdl_lock_holder_ms(&s->own.lock) <= ms, "it is held, for its own time",
              rc);
        claim(s, rdl_lock_holder_ms(&s->own.lock) > ms - STEP_MS, "it is held, for no other's time", rc);
        return;
    }
    claim(s, rc == RDL_OK, "it is free", rc);
    s->truth = HELD;
    if (!is_fenced(s))
        return;
    claim(s, rdl_lock_fence(&s->own.fenced) > s->fence, "its number grows", rc);
    s->fence = rdl_lock_fence(&s->own.fenced);
    claim(s, s->fence <= (uint64_t)(s - slots + 1) * FENCE + s->acquires, "its number is its own", rc);
}

static void check_result(struct slot *s, int rc)
{
    static const int released[] = {RDL_EXPIRED, RDL_OK, RDL_LOST, RDL_EXPIRED};

    counts[s->action]++;
    s->is_pending = 0;
    if (s->action == RDL_ACQUIRE) {
        check_acquire(s, rc);
    } else if (s->action == RDL_EXTEND) {
        claim(s, rc == (s->truth == HELD ? RDL_OK : RDL_LOST), "an extend reports the state", rc);
        s->truth = s->truth == HELD ? HELD : FREE;
    } else {
        claim(s, rc == released[s->truth], "a release reports the state", rc);
        s->truth = FREE;
    }
    if (s->truth == FREE && !is_strangers(s) && rc == RDL_LOST)
        live_command(&server, "DEL %s", s->name); /* the other client releases it */
}

/* ---------------------------------------------------------------- actions */

static void begin(struct slot *s, enum rdl_action action)
{
    static const uint8_t entropy[RDL_ENTROPY_LEN] = {1, 2, 3};
    uint8_t own[RDL_ENTROPY_LEN];
    uint32_t words[2] = {seed, (uint32_t)(s - slots)};
    uint64_t now = client_now();
    int rc;

    s->action = action;
    if (action == RDL_ACQUIRE) {
        s->acquires++;
        memcpy(own, entropy, sizeof own);
        memcpy(own, words, sizeof words);
        rc = rdl_lock_acquire_begin(&s->own.lock, own, now);
    } else if (action == RDL_EXTEND) {
        rc = rdl_lock_extend_begin(&s->own.lock, TTL + 1000 * below(100), now);
    } else {
        rc = rdl_lock_release_begin(&s->own.lock, now);
    }
    s->is_pending = rc == RDL_PENDING;
    if (rc != RDL_PENDING)
        check_result(s, rc);
}

/* Another client takes it away; all its requests have been answered. */
static void rob(struct slot *s)
{
    s->truth = below(2) ? STOLEN : GONE;
    live_command(&server, s->truth == STOLEN ? "SET %s thief PX 900000" : "DEL %s", s->name);
}

static void do_something(struct slot *s)
{
    unsigned dice = below(100);

    if (s->is_pending && dice < 5) {
        rdl_lock_cancel(&s->own.lock);
        s->is_pending = 0;
        if (s->truth == STOLEN)
            live_command(&server, "DEL %s", s->name);
        s->truth = FREE;
        counts[3]++;
    } else if (!s->is_pending && s->truth == FREE) {
        begin(s, RDL_ACQUIRE);
    } else if (!s->is_pending && s->truth == HELD && dice < 6) {
        rob(s);
        counts[4]++;
    } else if (!s->is_pending) {
        begin(s, dice < 60 ? RDL_EXTEND : RDL_RELEASE);
    }
}

/* Send and receive what is possible now; each lock checks its replies. */
static void turn(uint64_t until_ms)
{
    int i;

    if (rdl_conn_waiting(&client.conn) > most_waiting)
        most_waiting = rdl_conn_waiting(&client.conn);
    client_step(&client, until_ms);
    for (i = 0; i < LOCKS; i++) {
        int rc = slots[i].is_pending ? rdl_lock_step(&slots[i].own.lock, client_now()) : RDL_PENDING;
        if (rc != RDL_PENDING)
            check_result(&slots[i], rc);
    }
}

static void settle(void)
{
    while (!rdl_conn_is_idle(&client.conn))
        turn(client_now() + 20);
    turn(0);
}

static void assert_server_agrees(void)
{
    int i;

    for (i = 0; i < LOCKS; i++) {
        struct slot *s = &slots[i];
        char token[RDL_TOKEN_TEXT_MAX], want[64] = "$-1\r\n";
        if (is_strangers(s) || s->truth == STOLEN)
            continue;
        rdl_lock_token(&s->own.lock, token);
        if (s->truth == HELD)
            snprintf(want, sizeof want, "$40\r\n%.40s\r\n", token);
        claim(s, strcmp(live_command(&server, "GET %s", s->name), want) == 0, "the server says so too", 0);
    }
}

START_TEST(no_reply_of_a_thousand_locks_reaches_the_wrong_lock)
{
    size_t heap;
    int i;

    teach();
    for (i = 0; i < LOCKS; i++)
        begin(&slots[i], RDL_ACQUIRE);
    ck_assert_uint_eq(rdl_conn_waiting(&client.conn), LOCKS);
    settle();
    assert_server_agrees();
    heap = mallinfo2().uordblks;
    for (i = 0; i < STEPS; i++) {
        do_something(&slots[below(LOCKS)]);
        if (below(100) == 0)
            turn(0);
    }
    settle();
    ck_assert_uint_lt(mallinfo2().uordblks, heap + CHECK_HEAP);
    assert_server_agrees();
    for (i = 0; i < LOCKS; i++)
        if (slots[i].truth != FREE)
            begin(&slots[i], RDL_RELEASE);
    settle();
    assert_server_agrees();
    ck_assert_uint_eq(rdl_conn_waiting(&client.conn), 0);
    ck_assert_uint_eq(client.conn.tail + client.conn.reserved, 0); /* the whole queue is free again */
    ck_assert_int_eq(rdl_conn_error(&client.conn), RDL_OK);
    ck_assert_uint_gt(most_waiting, 200);
    for (i = 0; i < 5; i++) /* acquired, extended, released, cancelled, stolen */
        ck_assert_uint_gt(counts[i], 100);
    if (getenv("RDL_RUNS"))
        printf("acquired %u, extended %u, released %u, cancelled %u, stolen %u; %u waiting at once\n",
               counts[0], counts[1], counts[2], counts[3], counts[4], most_waiting);
}
END_TEST

Suite *suite_lock_shared(void)
{
    Suite *suite = suite_create("lock_shared");
    TCase *tc = suite_case(suite, "shared", setup, teardown);

    tcase_add_test(tc, no_reply_of_a_thousand_locks_reaches_the_wrong_lock);
    return suite;
}
