/* SPDX-License-Identifier: MIT */
/* The wake hint on a real server: which client is woken, in which order, and what is left. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lock/lock_hint.h"
#include "lock/lock_io.h"
#include "lock/lock_commands.h"
#include "tests/fixtures/client.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

enum { TTL = 20000 };

/* A client that holds or waits: two connections and a lock. */
struct person {
    struct client client, second;
    struct rdl_hint hint;
    struct rdl_lock lock;
    int rc;
};

static struct live_server server;
static struct person anna, berta, clara;
static struct rdl_lock_options opt;
static char url[256];

static void meet(struct person *p, const char *user)
{
    client_init(&p->client, url);
    client_init(&p->second, url);
    if (user != NULL) {
        const struct rdl_bytes name = {user, strlen(user)}, password = {"secret", 6};
        p->client.endpoint.user = p->second.endpoint.user = name;
        p->client.endpoint.password = p->second.endpoint.password = password;
    }
    rdl_lock_init(&p->lock, &opt, &p->client.conn, "k", 1);
    rdl_hint_init(&p->hint, &p->second.conn);
    rdl_lock_set_hint(&p->lock, &p->hint);
}

static void setup(void)
{
    client_setup();
    memset(&server, 0, sizeof server);
    live_start(&server);
    live_url(&server, LIVE_V4, url, sizeof url);
    memset(&opt, 0, sizeof opt);
    opt.ttl_ms = TTL;
    opt.wait_ms = 30000;
    opt.retry_ms = 50;
    opt.attempt_ms = 5000;
    meet(&anna, NULL);
    meet(&berta, NULL);
    meet(&clara, NULL);
}

static void teardown(void)
{
    live_remove(&server);
}

static long number(const char *command)
{
    return strtol(live_command(&server, "%s", command) + 1, NULL, 10);
}

/* A number of a section of INFO. */
static long info(const char *section, const char *field)
{
    const char *at = strstr(live_command(&server, "INFO %s", section), field);

    return at == NULL ? 0 : strtol(at + strlen(field), NULL, 10);
}

static void begin(struct person *p, unsigned n)
{
    uint8_t entropy[RDL_ENTROPY_LEN];

    memset(entropy, (int)n, sizeof entropy);
    p->rc = rdl_lock_acquire_begin(&p->lock, entropy, client_now());
}

/* One turn of an event loop with the connections of both. */
static void turn(struct person *a, struct person *b)
{
    struct rdl_conn *const conns[] = {&a->client.conn, &a->second.conn, &b->client.conn, &b->second.conn};
    uint64_t until = client_now() + 20;

    ck_assert_int_eq(client_platform.poll(client_platform.ctx, conns, 4, until, 0), RDL_OK);
    if (a->rc == RDL_PENDING)
        a->rc = rdl_lock_step(&a->lock, client_now());
    if (b->rc == RDL_PENDING)
        b->rc = rdl_lock_step(&b->lock, client_now());
}

static void await_blocked(long n)
{
    while (info("clients", "\nblocked_clients:") != n)
        turn(&berta, &clara);
}

START_TEST(waiters_are_woken_one_by_one_in_order)
{
    long sets;

    ck_assert_int_eq(rdl_lock_acquire(&anna.lock, &client_platform), RDL_OK);
    begin(&berta, 1);
    clara.rc = RDL_OK;
    await_blocked(1);
    begin(&clara, 2);
    await_blocked(2);
    sets = info("commandstats", "cmdstat_set:calls=");
    ck_assert_int_eq(rdl_lock_release(&anna.lock, &client_platform), RDL_OK);
    while (berta.rc == RDL_PENDING)
        turn(&berta, &clara);
    ck_assert_int_eq(berta.rc, RDL_OK);
    ck_assert_int_eq(clara.rc, RDL_PENDING);
    ck_assert_int_le(number("EXISTS {k}:wake"), 0); /* taken */
    ck_assert_int_eq(rdl_lock_release(&berta.lock, &client_platform), RDL_OK);
    while (clara.rc == RDL_PENDING)
        turn(&berta, &clara);
    ck_assert_int_eq(clara.rc, RDL_OK);
    ck_assert_int_le(info("commandstats", "cmdstat_set:calls="), sets + 2 + 4); /* 4: ends of capped waits */
    ck_assert_int_eq(rdl_lock_release(&clara.lock, &client_platform), RDL_OK);
}
END_TEST

START_TEST(a_release_leaves_one_hint_that_expires)
{
    int i;

    for (i = 0; i < 3; i++) {
        ck_assert_int_eq(rdl_lock_acquire(&anna.lock, &client_platform), RDL_OK);
        ck_assert_int_eq(rdl_lock_release(&anna.lock, &client_platform), RDL_OK);
        ck_assert_int_le(number("LLEN {k}:wake"), 1);
        ck_assert_int_le(number("PTTL {k}:wake"), RDL_HINT_CAP_MS);
        ck_assert_int_ne(number("PTTL {k}:wake"), -1);
    }
    ck_assert_int_eq(number("EXISTS k"), 0);
}
END_TEST

START_TEST(a_hint_key_that_is_not_a_list_is_left_alone)
{
    live_command(&server, "SET {k}:wake precious");
    ck_assert_int_eq(rdl_lock_acquire(&anna.lock, &client_platform), RDL_OK);
    begin(&berta, 1);
    clara.rc = RDL_OK;
    while (info("commandstats", "cmdstat_blpop:calls=") == 0)
        turn(&berta, &clara);
    ck_assert_int_eq(rdl_lock_release(&anna.lock, &client_platform), RDL_OK);
    while (berta.rc == RDL_PENDING)
        turn(&berta, &clara);
    ck_assert_int_eq(berta.rc, RDL_OK);
    ck_assert_str_eq(live_command(&server, "GET {k}:wake"), "$8\r\nprecious\r\n");
    ck_assert_int_eq(info("commandstats", "cmdstat_blpop:calls="), 1);
}
END_TEST

/* Users without all rights: no lists; lists only by the lock's name; no scripts. */
static const char *const rules[] = {
    "~* +@all -@list", "~k +@all", "~* +@all -@scripting", "~* +@all -pexpire", "~* +@all -type",
};

START_TEST(a_user_without_hint_rights_locks_without_hints)
{
    ck_assert_str_eq(live_command(&server, "ACL SETUSER eve on >secret %s", rules[_i]), "+OK\r\n");
    meet(&anna, "eve");
    meet(&berta, "eve");
    ck_assert_int_eq(rdl_lock_acquire(&anna.lock, &client_platform), RDL_OK);
    begin(&berta, 1);
    clara.rc = RDL_OK;
    while (info("commandstats", "cmdstat_set:calls=") < 4)
        turn(&berta, &clara);
    ck_assert_int_eq(rdl_lock_release(&anna.lock, &client_platform), RDL_OK);
    while (berta.rc == RDL_PENDING)
        turn(&berta, &clara);
    ck_assert_int_eq(berta.rc, RDL_OK);
    ck_assert_int_eq(rdl_lock_release(&berta.lock, &client_platform), RDL_OK);
    ck_assert_int_eq(number("EXISTS k"), 0);
}
END_TEST

/* No hint comes: the holder expires, or a client without hints deletes the lock. */
START_TEST(a_missing_hint_costs_only_time)
{
    live_command(&server, "SET k foreign PX %d", TTL);
    begin(&berta, 1);
    clara.rc = RDL_OK;
    await_blocked(1);
    live_command(&server, _i == 0 ? "PEXPIRE k 1" : "DEL k");
    while (berta.rc == RDL_PENDING)
        turn(&berta, &clara);
    ck_assert_int_eq(berta.rc, RDL_OK);
}
END_TEST

/* One turn of the client that is not frozen. */
static void turn_alone(struct person *p)
{
    struct rdl_conn *const conns[] = {&p->client.conn, &p->second.conn};

    ck_assert_int_eq(client_platform.poll(client_platform.ctx, conns, 2, client_now() + 20, 0), RDL_OK);
    p->rc = rdl_lock_step(&p->lock, client_now());
}

/* Berta is first in the queue and gets the hint, but does nothing with it; the lock does not wait. */
START_TEST(a_frozen_waiter_keeps_the_hint_but_not_the_lock)
{
    ck_assert_int_eq(rdl_lock_acquire(&anna.lock, &client_platform), RDL_OK);
    begin(&berta, 1);
    clara.rc = RDL_OK;
    await_blocked(1);
    begin(&clara, 2);
    await_blocked(2);
    ck_assert_int_eq(rdl_lock_release(&anna.lock, &client_platform), RDL_OK);
    while (clara.rc == RDL_PENDING)
        turn_alone(&clara);
    ck_assert_int_eq(clara.rc, RDL_OK);
    ck_assert_int_eq(berta.rc, RDL_PENDING);
    turn_alone(&berta); /* the hint that is read now is stale */
    ck_assert_int_eq(berta.rc, RDL_PENDING);
    ck_assert_uint_gt(rdl_lock_remaining_ms(&clara.lock, client_now()), 0);
    ck_assert_int_eq(rdl_lock_release(&clara.lock, &client_platform), RDL_OK);
    while (berta.rc == RDL_PENDING)
        turn_alone(&berta);
    ck_assert_int_eq(berta.rc, RDL_OK);
}
END_TEST

START_TEST(a_cancelled_waiter_does_not_take_the_next_hint)
{
    live_command(&server, "SET k foreign");
    begin(&berta, 1);
    begin(&clara, 2);
    await_blocked(2);
    rdl_lock_cancel(&berta.lock);
    berta.rc = RDL_OK;
    await_blocked(1);
    live_command(&server, "DEL k");
    live_command(&server, "RPUSH {k}:wake 1");
    while (clara.rc == RDL_PENDING)
        turn(&berta, &clara);
    ck_assert_int_eq(clara.rc, RDL_OK);
}
END_TEST

/* The blocking calls have the thread; events during their wait happen when they poll. */
static void (*when_blocked)(void);
static uint64_t ahead_ms;

static int watched_poll(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, unsigned flags)
{
    if (when_blocked != NULL && info("clients", "\nblocked_clients:") == 1) {
        when_blocked();
        when_blocked = NULL;
    }
    return client_platform.poll(ctx, conns, n, until_ms == 0 ? 0 : client_now() + 20, flags);
}

static uint64_t watched_now(void *ctx)
{
    return client_platform.now_ms(ctx) + ahead_ms;
}

static void leave_with_a_hint(void)
{
    live_command(&server, "DEL k");
    live_command(&server, "RPUSH {k}:wake 1");
}

static void be_out_of_time(void)
{
    ahead_ms = opt.wait_ms;
}

START_TEST(blocking_calls_wait_with_a_hint_too)
{
    struct rdl_platform platform = client_platform;

    platform.poll = watched_poll;
    platform.now_ms = watched_now;
    ahead_ms = 0;
    live_command(&server, "SET k foreign");
    when_blocked = leave_with_a_hint;
    ck_assert_int_eq(rdl_lock_acquire(&berta.lock, &platform), RDL_OK);
    ck_assert_int_eq(info("clients", "\nblocked_clients:"), 0); /* no client is left there to take our hint */
    when_blocked = be_out_of_time;
    ck_assert_int_eq(rdl_lock_acquire(&clara.lock, &platform), RDL_BUSY);
    ck_assert(when_blocked == NULL);
    ck_assert_int_ne(rdl_conn_state(&clara.second.conn), RDL_CONN_FAILED); /* closed, not left to wait */
    live_await(&server, "INFO clients", "\nblocked_clients:0");
    ck_assert_int_eq(rdl_lock_release(&berta.lock, &platform), RDL_OK);
}
END_TEST

START_TEST(the_hint_script_has_its_stated_sha1)
{
    char text[64];

    ck_assert_int_eq(rdl_lock_acquire(&anna.lock, &client_platform), RDL_OK);
    ck_assert_int_eq(rdl_lock_release(&anna.lock, &client_platform), RDL_OK);
    snprintf(text, sizeof text, "SCRIPT EXISTS %s", rdl_script_release_hint.sha);
    ck_assert_str_eq(live_command(&server, "%s", text), "*1\r\n:1\r\n");
}
END_TEST

Suite *suite_lock_hint_live(void)
{
    Suite *suite = suite_create("lock_hint_live");
    TCase *tc = suite_case(suite, "lock_hint_live", setup, teardown);

    tcase_add_test(tc, waiters_are_woken_one_by_one_in_order);
    tcase_add_test(tc, a_release_leaves_one_hint_that_expires);
    tcase_add_test(tc, a_hint_key_that_is_not_a_list_is_left_alone);
    tcase_add_loop_test(tc, a_user_without_hint_rights_locks_without_hints, 0,
                        (int)(sizeof rules / sizeof rules[0]));
    tcase_add_loop_test(tc, a_missing_hint_costs_only_time, 0, 2);
    tcase_add_test(tc, a_frozen_waiter_keeps_the_hint_but_not_the_lock);
    tcase_add_test(tc, a_cancelled_waiter_does_not_take_the_next_hint);
    tcase_add_test(tc, blocking_calls_wait_with_a_hint_too);
    tcase_add_test(tc, the_hint_script_has_its_stated_sha1);
    return suite;
}
