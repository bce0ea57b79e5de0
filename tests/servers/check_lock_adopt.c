/* SPDX-License-Identifier: MIT */
/* A token from elsewhere: another handle releases or extends the lock with it, on a real server. */
#include <stdio.h>
#include <string.h>

#include "lock/lock_fenced.h"
#include "lock/lock_io.h"
#include "tests/fixtures/client.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

enum { TTL = 20000, DRIFT = 202 };

static struct live_server server;
static struct client client, other;
static struct rdl_lock lock, adopted;
static struct rdl_lock_options opt;
static char token[RDL_TOKEN_TEXT_MAX];

/* The lock is held, its token is known; the other handle has its own connection. */
static void setup(void)
{
    client_pair(&server, NULL, &client, &other);
    memset(&opt, 0, sizeof opt);
    opt.ttl_ms = TTL;
    opt.attempt_ms = 5000;
    rdl_lock_init(&lock, &opt, &client.conn, "nightly", 7);
    rdl_lock_init(&adopted, &opt, &other.conn, "nightly", 7);
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_OK);
    rdl_lock_token(&lock, token);
}

static void teardown(void)
{
    live_remove(&server);
}

static uint32_t remaining_ms(void)
{
    return rdl_lock_remaining_ms(&adopted, client_now());
}

static const char *exists(void)
{
    return live_command(&server, "EXISTS nightly");
}

/* The other connection completes its pending work. */
static void drain(void)
{
    while (!rdl_conn_is_idle(&other.conn))
        client_step(&other, client_now() + 1000);
}

START_TEST(the_token_is_the_value_on_the_server)
{
    char reply[64];

    snprintf(reply, sizeof reply, "$40\r\n%.40s\r\n", token);
    ck_assert_str_eq(live_command(&server, "GET nightly"), reply);
}
END_TEST

START_TEST(a_token_from_another_handle_is_released_at_once)
{
    ck_assert_int_eq(rdl_lock_adopt(&adopted, token, strlen(token)), RDL_OK);
    ck_assert_uint_eq(remaining_ms(), 0);
    ck_assert_int_eq(rdl_lock_release(&adopted, &client_platform), RDL_OK);
    ck_assert_str_eq(exists(), ":0\r\n");
    ck_assert_int_eq(rdl_lock_release(&lock, &client_platform),
                     RDL_EXPIRED); /* it sees that the key is gone */
}
END_TEST

START_TEST(an_extend_adopts_and_the_validity_starts_there)
{
    uint64_t before_ms;
    uint64_t after_ms;

    ck_assert_int_eq(rdl_lock_adopt(&adopted, token, strlen(token)), RDL_OK);
    ck_assert_uint_eq(remaining_ms(), 0);
    before_ms = client_now();
    ck_assert_int_eq(rdl_lock_extend(&adopted, &client_platform, TTL), RDL_ADOPTED);
    after_ms = client_now();
    ck_assert_uint_ge(rdl_lock_remaining_ms(&adopted, before_ms), TTL - DRIFT);
    ck_assert_uint_le(rdl_lock_remaining_ms(&adopted, after_ms), TTL - DRIFT);
    ck_assert_int_eq(rdl_lock_extend(&adopted, &client_platform, TTL),
                     RDL_OK); /* from now on like any other */
    ck_assert_int_eq(rdl_lock_release(&adopted, &client_platform), RDL_OK);
    ck_assert_str_eq(exists(), ":0\r\n");
}
END_TEST

/*
 * The original handle had asked for longer: the key keeps that time, but the adopted validity does not count
 * it.
 */
START_TEST(an_adopted_lease_is_not_shortened)
{
    ck_assert_int_eq(rdl_lock_extend(&lock, &client_platform, 900000), RDL_OK);
    ck_assert_int_eq(rdl_lock_adopt(&adopted, token, strlen(token)), RDL_OK);
    ck_assert_int_eq(rdl_lock_extend(&adopted, &client_platform, TTL), RDL_ADOPTED);
    ck_assert_uint_le(remaining_ms(), TTL - DRIFT);
    ck_assert_uint_eq(strlen(live_command(&server, "PTTL nightly")), strlen(":899999\r\n"));
}
END_TEST

static const char *const meanwhile[] = {"DEL nightly", "SET nightly other", "SET nightly other PX 60000"};

START_TEST(extending_a_replaced_token_is_lost)
{
    live_command(&server, "%s", meanwhile[_i]);
    ck_assert_int_eq(rdl_lock_adopt(&adopted, token, strlen(token)), RDL_OK);
    ck_assert_int_eq(rdl_lock_extend(&adopted, &client_platform, TTL), RDL_LOST);
    ck_assert_uint_eq(remaining_ms(), 0);
    drain();
    ck_assert_str_eq(exists(), _i == 0 ? ":0\r\n" : ":1\r\n");
    ck_assert_int_eq(rdl_lock_release(&adopted, &client_platform), RDL_EXPIRED);
}
END_TEST

START_TEST(releasing_a_replaced_token_reports_the_loss)
{
    live_command(&server, "%s", meanwhile[_i]);
    ck_assert_int_eq(rdl_lock_adopt(&adopted, token, strlen(token)), RDL_OK);
    ck_assert_int_eq(rdl_lock_release(&adopted, &client_platform), _i == 0 ? RDL_EXPIRED : RDL_LOST);
    ck_assert_str_eq(exists(), _i == 0 ? ":0\r\n" : ":1\r\n");
}
END_TEST

START_TEST(cancel_releases_an_adopted_lock)
{
    ck_assert_int_eq(rdl_lock_adopt(&adopted, token, strlen(token)), RDL_OK);
    rdl_lock_cancel(&adopted);
    drain();
    ck_assert_str_eq(exists(), ":0\r\n");
}
END_TEST

/* ---------------------------------------------------------------- without a server */

/* The server has no scripts, and the key to adopt lives for so many ms from 1000 on. */
static void adopt_by_watch(struct scripted *s, unsigned ttl_ms)
{
    static const struct sim_features no_scripts = {.version = "7.0.15", .no_scripts = 1};
    char set[80];

    scripted_init(s);
    sim_server_start(&s->model, &no_scripts, 7, 1000);
    scripted_open(s, 1000);
    rdl_lock_init(&adopted, &opt, &s->conn, "k", 1);
    snprintf(set, sizeof set, "SET k %.40s NX PX %u\r\n", token_hex(7), ttl_ms);
    scripted_other(s, set, 1000);
    ck_assert_int_eq(rdl_lock_adopt(&adopted, token_hex(7), RDL_VALUE_MAX), RDL_OK);
}

/*
 * By WATCH: the GET still finds the token. The PTTL reads the key of a client that took the lock in between,
 * for longer than requested. A long remaining time does not prove ownership.
 */
START_TEST(a_key_taken_between_two_commands_is_not_adopted)
{
    static const char *const before[] = {"PTTL", "MULTI", "PEXPIRE"};
    static struct scripted s;

    adopt_by_watch(&s, 1000);
    ck_assert_int_eq(rdl_lock_extend_begin(&adopted, TTL, 1950), RDL_PENDING);
    ck_assert(scripted_serve_before(&s, before[_i], 1990));
    scripted_other(&s, "SET k somebody-else NX PX 60000\r\n", 2010);
    scripted_serve(&s, 2011);
    ck_assert_int_eq(rdl_lock_step(&adopted, 2012), RDL_LOST);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&adopted, 2012), 0);
    scripted_serve(&s, 2013);
    ck_assert(scripted_has_key(&s, "k", 2013));
}
END_TEST

/* It lives longer than requested, by WATCH: the transaction sees that, and does not shorten it. */
START_TEST(watch_adopts_a_long_lease_without_shortening_it)
{
    static struct scripted s;

    adopt_by_watch(&s, 60000);
    ck_assert_int_eq(rdl_lock_extend_begin(&adopted, TTL, 2000), RDL_PENDING);
    ck_assert(scripted_serve_before(&s, "EXEC", 2000));
    ck_assert_int_eq(rdl_lock_step(&adopted, 2000), RDL_PENDING);
    scripted_serve(&s, 2000);
    ck_assert_int_eq(rdl_lock_step(&adopted, 2000), RDL_ADOPTED);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&adopted, 2000), TTL - DRIFT);
    ck_assert(scripted_has_key(&s, "k", 61000));
    ck_assert(!s.session.in_multi);
}
END_TEST

/* The connection is gone when the lock is to be released: the release waits for the next one. */
START_TEST(the_release_of_an_adopted_lock_stays_pending)
{
    static struct scripted s;
    uint64_t now_ms = 5000000; /* far beyond one ttl after the boot */

    scripted_init(&s);
    rdl_lock_init(&adopted, &opt, &s.conn, "k", 1);
    ck_assert_int_eq(rdl_lock_adopt(&adopted, token_hex(7), RDL_VALUE_MAX), RDL_OK);
    if (_i) {
        rdl_lock_cancel(&adopted);
    } else {
        ck_assert_int_eq(rdl_lock_release_begin(&adopted, now_ms), RDL_PENDING);
        ck_assert_int_eq(rdl_lock_step(&adopted, now_ms + 2000), RDL_PENDING);
        ck_assert_int_eq(scripted_close_failed(&s), RDL_E_TIMEOUT); /* no connection in all that time */
        ck_assert_int_eq(rdl_lock_step(&adopted, now_ms + 2000), RDL_PENDING);
        ck_assert_int_eq(rdl_lock_step(&adopted, now_ms + 2000 + 5000), RDL_UNKNOWN);
        scripted_break(&s);
    }
    scripted_open(&s, now_ms + 8000);
    ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", token_hex(7)));
}
END_TEST

/* Nor is a longer ttl requested than given, or an old fence reported. */
START_TEST(a_reused_handle_adopts_with_the_given_ttl_and_no_fence)
{
    static struct scripted s;
    struct rdl_lock_fenced fenced;
    struct rdl_lock *l = &fenced.lock;

    opt.ttl_ms = 1000;
    opt.attempt_ms = 100;
    scripted_init(&s);
    scripted_model(&s, 1000);
    scripted_open(&s, 1000);
    rdl_lock_init_fenced(&fenced, &opt, &s.conn, "k", 1);
    rdl_lock_acquire_begin(l, entropy_bytes(), 1000);
    scripted_serve(&s, 1000);
    ck_assert_int_eq(rdl_lock_step(l, 1000), RDL_OK);
    ck_assert_uint_gt(rdl_lock_fence(&fenced), 0);
    ck_assert_int_eq(rdl_lock_extend_begin(l, 30000, 1000), RDL_PENDING);
    scripted_serve(&s, 1000);
    ck_assert_int_eq(rdl_lock_step(l, 1000), RDL_OK);
    ck_assert_int_eq(rdl_lock_adopt(l, token_hex(7), RDL_VALUE_MAX), RDL_OK);
    scripted_serve(&s, 1000); /* the lock it held is released */
    scripted_other(&s, "SET k 0707070707070707070707070707070707070707\r\n", 1000);
    scripted_sent(&s);
    ck_assert_int_eq(rdl_lock_extend_begin(l, 500, 1001), RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&s), wire_extend_text("k", token_hex(7), 500));
    scripted_serve(&s, 1001);
    ck_assert_int_eq(rdl_lock_step(l, 1001), RDL_ADOPTED);
    ck_assert_uint_eq(rdl_lock_remaining_ms(l, 1001), 500 - 7);
    ck_assert_uint_eq(rdl_lock_fence(&fenced), 0);
}
END_TEST

/* The next lease keeps nothing of the adopted one: a release after its end is dropped again. */
START_TEST(a_new_lease_after_an_adopted_one_has_an_end)
{
    static struct scripted s;

    opt.ttl_ms = 1000;
    opt.attempt_ms = 250;
    scripted_init(&s);
    scripted_open(&s, 1000);
    rdl_lock_init(&adopted, &opt, &s.conn, "k", 1);
    ck_assert_int_eq(rdl_lock_adopt(&adopted, token_hex(7), RDL_VALUE_MAX), RDL_OK);
    rdl_lock_cancel(&adopted);
    scripted_sent(&s);
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(rdl_lock_acquire_begin(&adopted, entropy_bytes(), 1000), RDL_PENDING);
    scripted_sent(&s);
    scripted_break(&s);
    ck_assert_int_eq(rdl_lock_step(&adopted, 1001), RDL_UNKNOWN); /* a release is pending until 2000 */
    while (rdl_conn_wants(&s.conn) & RDL_WANT_OPEN)
        rdl_conn_closed(&s.conn, RDL_E_CONNECT);
    scripted_open(&s, 2001);
    ck_assert_str_eq(scripted_sent(&s), "");
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

Suite *suite_lock_adopt(void)
{
    Suite *suite = suite_create("lock_adopt");
    TCase *tc = suite_case(suite, "adopt", setup, teardown);

    tcase_add_test(tc, the_token_is_the_value_on_the_server);
    tcase_add_test(tc, a_token_from_another_handle_is_released_at_once);
    tcase_add_test(tc, an_extend_adopts_and_the_validity_starts_there);
    tcase_add_test(tc, an_adopted_lease_is_not_shortened);
    tcase_add_loop_test(tc, extending_a_replaced_token_is_lost, 0, 3);
    tcase_add_loop_test(tc, releasing_a_replaced_token_reports_the_loss, 0, 3);
    tcase_add_test(tc, cancel_releases_an_adopted_lock);
    tcase_add_loop_test(tc, a_key_taken_between_two_commands_is_not_adopted, 0, 3);
    tcase_add_test(tc, watch_adopts_a_long_lease_without_shortening_it);
    tcase_add_loop_test(tc, the_release_of_an_adopted_lock_stays_pending, 0, 2);
    tcase_add_test(tc, a_reused_handle_adopts_with_the_given_ttl_and_no_fence);
    tcase_add_test(tc, a_new_lease_after_an_adopted_one_has_an_end);
    return suite;
}
