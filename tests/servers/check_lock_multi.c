/* SPDX-License-Identifier: MIT */
/* Several locks as one, on a real server: all of them or none. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lock/lock_hint.h"
#include "lock/lock_io.h"
#include "lock/lock_multi.h"
#include "tests/fixtures/client.h"
#include "tests/suite.h"

enum { TTL = 20000 };

static struct live_server server;
static struct client client, other;
static struct rdl_lock lock, second;
static struct rdl_lock_options opt;
static uint8_t packed[RDL_NAME_MAX], packed_too[RDL_NAME_MAX];

static const struct rdl_bytes abc[] = {{"a", 1}, {"b", 1}, {"c\0\r\n", 4}};
static const struct rdl_bytes cba[] = {{"c\0\r\n", 4}, {"b", 1}, {"a", 1}};

static void begin(const char *const *args)
{
    memset(&server, 0, sizeof server);
    client_pair(&server, args, &client, &other);
    memset(&opt, 0, sizeof opt);
    opt.ttl_ms = TTL;
    opt.attempt_ms = 5000;
    ck_assert_int_eq(rdl_lock_init_multi(&lock, &opt, &client.conn, abc, 3, packed), RDL_OK);
    ck_assert_int_eq(rdl_lock_init_multi(&second, &opt, &other.conn, cba, 3, packed_too), RDL_OK);
}

static void setup(void)
{
    begin(NULL);
}

static void teardown(void)
{
    live_remove(&server);
}

static long number(const char *command)
{
    return strtol(live_command(&server, "%s", command) + 1, NULL, 10);
}

START_TEST(several_locks_are_taken_and_released_with_one_token)
{
    char token[RDL_TOKEN_TEXT_MAX], want[64];

    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_OK);
    ck_assert_uint_gt(rdl_lock_remaining_ms(&lock, client_now()), 0);
    rdl_lock_token(&lock, token);
    snprintf(want, sizeof want, "$40\r\n%.40s\r\n", token);
    ck_assert_str_eq(live_command(&server, "GET a"), want);
    ck_assert_str_eq(live_command(&server, "GET \"c\\x00\\r\\n\""), want);
    ck_assert_int_eq(number("DBSIZE"), 3);
    live_command(&server, "PEXPIRE b 9000");
    ck_assert_int_eq(rdl_lock_extend(&lock, &client_platform, TTL), RDL_OK);
    ck_assert_int_gt(number("PTTL b"), 10000);
    ck_assert_int_le(number("PTTL b"), TTL);
    ck_assert_int_eq(rdl_lock_release(&lock, &client_platform), RDL_OK);
    ck_assert_int_eq(number("DBSIZE"), 0);
}
END_TEST

START_TEST(one_held_lock_refuses_all_and_writes_nothing)
{
    static const char *const held[] = {"a", "b", "\"c\\x00\\r\\n\""};

    live_command(&server, "SET %s foreign PX 5000", held[_i]);
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_BUSY);
    ck_assert_int_gt(rdl_lock_holder_ms(&lock), 0);
    ck_assert_int_le(rdl_lock_holder_ms(&lock), 5000);
    ck_assert_int_eq(number("DBSIZE"), 1);
}
END_TEST

START_TEST(clients_with_another_order_do_not_deadlock)
{
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_OK);
    ck_assert_int_eq(rdl_lock_acquire(&second, &client_platform), RDL_BUSY);
    ck_assert_int_eq(rdl_lock_release(&lock, &client_platform), RDL_OK);
    ck_assert_int_eq(rdl_lock_acquire(&second, &client_platform), RDL_OK);
    ck_assert_int_eq(rdl_lock_release(&second, &client_platform), RDL_OK);
}
END_TEST

START_TEST(a_single_lock_and_one_of_several_exclude_each_other)
{
    struct rdl_lock single;

    rdl_lock_init(&single, &opt, &other.conn, "b", 1);
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_OK);
    ck_assert_int_eq(rdl_lock_acquire(&single, &client_platform), RDL_BUSY);
    ck_assert_int_eq(rdl_lock_release(&lock, &client_platform), RDL_OK);
    ck_assert_int_eq(rdl_lock_acquire(&single, &client_platform), RDL_OK);
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_BUSY);
}
END_TEST

/*
 * One of them is deleted, is another client's, is no string; one is another client's and another is deleted.
 */
static const char *const losses[] = {"DEL b", "SET b foreign", "DEL b", "SET a foreign"};

static void lose_one(int i)
{
    live_command(&server, "%s", losses[i]);
    if (i == 2)
        live_command(&server, "RPUSH b x");
    if (i == 3)
        live_command(&server, "DEL b");
}

START_TEST(losing_one_lock_loses_all_and_releases_the_rest)
{
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_OK);
    lose_one(_i);
    ck_assert_int_eq(rdl_lock_extend(&lock, &client_platform, TTL), RDL_LOST);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&lock, client_now()), 0);
    while (!rdl_conn_is_idle(&client.conn))
        client_step(&client, client_now() + 20);
    ck_assert_int_eq(number("EXISTS \"c\\x00\\r\\n\""), 0);
    ck_assert_int_eq(number("DBSIZE"), _i == 0 ? 0 : 1); /* other clients' keys stay */
}
END_TEST

START_TEST(a_multi_release_reports_losses_and_deletes_only_ours)
{
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_OK);
    lose_one(_i);
    ck_assert_int_eq(rdl_lock_release(&lock, &client_platform), _i == 0 ? RDL_EXPIRED : RDL_LOST);
    ck_assert_int_eq(number("DBSIZE"), _i == 0 ? 0 : 1);
}
END_TEST

START_TEST(a_multi_acquire_waits_for_held_locks)
{
    opt.wait_ms = 20000;
    opt.retry_ms = 20;
    live_command(&server, "SET a foreign PX 200");
    live_command(&server, "SET b foreign PX 300");
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_OK);
}
END_TEST

START_TEST(cancel_releases_all_locks)
{
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_OK);
    rdl_lock_cancel(&lock);
    while (!rdl_conn_is_idle(&client.conn))
        client_step(&client, client_now() + 20);
    ck_assert_int_eq(number("DBSIZE"), 0);
}
END_TEST

START_TEST(an_adopted_token_covers_all_locks)
{
    char token[RDL_TOKEN_TEXT_MAX];

    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_OK);
    rdl_lock_token(&lock, token);
    ck_assert_int_eq(rdl_lock_adopt(&second, token, strlen(token)), RDL_OK);
    ck_assert_int_eq(rdl_lock_extend(&second, &client_platform, TTL), RDL_ADOPTED);
    ck_assert_int_eq(rdl_lock_release(&second, &client_platform), RDL_OK);
    ck_assert_int_eq(number("DBSIZE"), 0);
}
END_TEST

START_TEST(invalid_sets_of_names_are_refused)
{
    static const char text[RDL_NAME_MAX + 1] = "x";
    const struct rdl_bytes same[] = {{"a", 1}, {"b", 1}, {"a", 1}}, empty[] = {{"a", 1}, {"", 0}};
    const struct rdl_bytes just[] = {{text, 63}, {text, 63 - 1}, {"", 1}}, over[] = {{text, 63}, {text, 64}};
    struct rdl_bytes many[RDL_MULTI_MAX + 1];
    uint8_t room[RDL_NAME_MAX];
    size_t i;

    for (i = 0; i < RDL_MULTI_MAX + 1; i++) {
        many[i].data = text;
        many[i].len = i + 1;
    }
    ck_assert_int_eq(rdl_lock_init_multi(&lock, &opt, &client.conn, same, 3, room), RDL_E_NAME);
    ck_assert_int_eq(rdl_lock_init_multi(&lock, &opt, &client.conn, empty, 2, room), RDL_E_NAME);
    ck_assert_int_eq(rdl_lock_init_multi(&lock, &opt, &client.conn, abc, 0, room), RDL_E_NAME);
    ck_assert_int_eq(rdl_lock_init_multi(&lock, &opt, &client.conn, many, RDL_MULTI_MAX, room), RDL_OK);
    ck_assert_int_eq(rdl_lock_init_multi(&lock, &opt, &client.conn, many, RDL_MULTI_MAX + 1, room),
                     RDL_E_NAME);
    ck_assert_int_eq(rdl_lock_init_multi(&lock, &opt, &client.conn, just, 2, room), RDL_OK);
    ck_assert_int_eq(rdl_lock_init_multi(&lock, &opt, &client.conn, just, 3, room), RDL_E_NAME);
    ck_assert_int_eq(rdl_lock_init_multi(&lock, &opt, &client.conn, over, 2, room), RDL_E_NAME);
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_E_NAME);
}
END_TEST

/* Or the user may run none, which a grant would fix. (MSETEX: check_live_methods.c) */
START_TEST(a_multi_lock_needs_scripts_or_msetex)
{
    static const char *const no_scripts[] = {LIVE_WITHOUT_SCRIPTS, NULL};

    if (_i == 0) {
        teardown();
        begin(no_scripts);
    } else {
        live_command(&server, "ACL SETUSER default -@scripting");
    }
    opt.wait_ms = 5000;
    opt.retry_ms = 20; /* waiting would not fix it */
    if (strstr(live_command(&server, "MSETEX"), "wrong number of arguments") != NULL) {
        ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_OK);
        return;
    }
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), _i == 0 ? RDL_E_UNSUPPORTED : RDL_E_PERM);
    ck_assert_int_eq(number("DBSIZE"), 0);
}
END_TEST

START_TEST(a_cluster_node_refuses_names_in_different_slots)
{
    static const char *const cluster[] = {"--cluster-enabled", "yes", NULL};
    static const struct rdl_bytes tagged[] = {{"{x}a", 4}, {"{x}b", 4}};

    teardown();
    begin(cluster);
    live_command(&server, "CLUSTER ADDSLOTSRANGE 0 16383");
    live_await(&server, "CLUSTER INFO", "cluster_state:ok");
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_E_CLUSTER);
    ck_assert_ptr_nonnull(strstr(rdl_conn_text(&client.conn), "CROSSSLOT"));
    rdl_lock_init_multi(&lock, &opt, &client.conn, tagged, 2, packed);
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_OK);
    ck_assert_int_eq(rdl_lock_release(&lock, &client_platform), RDL_OK);
}
END_TEST

START_TEST(a_multi_lock_accepts_no_hint)
{
    struct rdl_hint hint;

    rdl_hint_init(&hint, &other.conn);
    rdl_lock_set_hint(&lock, &hint);
    opt.wait_ms = 20000;
    opt.retry_ms = 20;
    live_command(&server, "SET b foreign PX 200");
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_OK);
    ck_assert_ptr_null(strstr(live_command(&server, "INFO commandstats"), "blpop"));
    ck_assert_int_eq(rdl_lock_release(&lock, &client_platform), RDL_OK);
    ck_assert_int_eq(number("DBSIZE"), 0);
}
END_TEST

Suite *suite_lock_multi(void)
{
    Suite *suite = suite_create("lock_multi");
    TCase *tc = suite_case(suite, "lock_multi", setup, teardown);

    tcase_add_test(tc, several_locks_are_taken_and_released_with_one_token);
    tcase_add_loop_test(tc, one_held_lock_refuses_all_and_writes_nothing, 0, 3);
    tcase_add_test(tc, clients_with_another_order_do_not_deadlock);
    tcase_add_test(tc, a_single_lock_and_one_of_several_exclude_each_other);
    tcase_add_loop_test(tc, losing_one_lock_loses_all_and_releases_the_rest, 0, 4);
    tcase_add_loop_test(tc, a_multi_release_reports_losses_and_deletes_only_ours, 0, 4);
    tcase_add_test(tc, a_multi_acquire_waits_for_held_locks);
    tcase_add_test(tc, cancel_releases_all_locks);
    tcase_add_test(tc, an_adopted_token_covers_all_locks);
    tcase_add_test(tc, invalid_sets_of_names_are_refused);
    tcase_add_loop_test(tc, a_multi_lock_needs_scripts_or_msetex, 0, 2);
    tcase_add_test(tc, a_cluster_node_refuses_names_in_different_slots);
    tcase_add_test(tc, a_multi_lock_accepts_no_hint);
    return suite;
}
