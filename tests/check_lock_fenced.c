/* SPDX-License-Identifier: MIT */
/* Fencing numbers grow, on a real server, whatever happens to the lock and to its fence. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lock/lock.h"
#include "tests/live/client.h"

enum { TTL = 20000, DAY_MS = 86400000 };

static struct live_server server;
static struct client client, other;
static struct rdl_lock lock, second;
static struct rdl_options opt;

static void begin(const char *const *args)
{
    memset(&server, 0, sizeof server);
    client_pair(&server, args, &client, &other);
    memset(&opt, 0, sizeof opt);
    opt.ttl_ms = TTL;
    opt.attempt_ms = 5000;
    rdl_lock_init(&lock, &rdl_lock_fenced, &opt, &client.conn, "nightly", 7);
    rdl_lock_init(&second, &rdl_lock_fenced, &opt, &other.conn, "nightly", 7);
}

static void setup(void)
{
    begin(NULL);
}

static void teardown(void)
{
    live_remove(&server);
}

/* Acquire, and the number. */
static uint64_t number(struct rdl_lock *l)
{
    ck_assert_int_eq(rdl_lock_acquire(l, &client_net), RDL_OK);
    ck_assert_uint_gt(rdl_lock_fence(l), 0);
    return rdl_lock_fence(l);
}

static uint64_t cycle(struct rdl_lock *l)
{
    uint64_t n = number(l);

    ck_assert_int_eq(rdl_lock_release(l, &client_net), RDL_OK);
    ck_assert_uint_eq(rdl_lock_fence(l), 0);
    return n;
}

static long pttl(const char *key)
{
    return strtol(live_command(&server, "PTTL \"%s\"", key) + 1, NULL, 10);
}

START_TEST(numbers_grow_from_holder_to_holder)
{
    uint64_t n = cycle(&lock);
    int i;

    ck_assert_uint_eq(n, 1);
    for (i = 0; i < 5; i++) {
        ck_assert_uint_eq(cycle(&second), ++n);
        ck_assert_uint_eq(cycle(&lock), ++n);
    }
}
END_TEST

START_TEST(numbers_grow_when_a_lease_ends_by_itself)
{
    uint64_t n = number(&lock);

    live_command(&server, "PEXPIRE nightly 1");
    opt.wait_ms = 15000;
    opt.retry_ms = 1;
    ck_assert_uint_gt(number(&second), n);
    ck_assert_int_eq(rdl_lock_release(&lock, &client_net), RDL_LOST);
    ck_assert_str_eq(live_command(&server, "EXISTS nightly"), ":1\r\n");
}
END_TEST

START_TEST(an_extend_keeps_the_number)
{
    uint64_t n = number(&lock);

    ck_assert_int_eq(rdl_lock_extend(&lock, &client_net, 2 * TTL), RDL_OK);
    ck_assert_uint_eq(rdl_lock_fence(&lock), n);
    ck_assert_int_gt(pttl("nightly"), TTL);
}
END_TEST

/* Only who took the lock was told its number; an older one of the same handle, or a floor, is another. */
START_TEST(a_lease_that_was_adopted_has_no_number)
{
    char token[RDL_VALUE_MAX];

    if (_i == 0)
        ck_assert_uint_eq(cycle(&lock), 1);
    else
        rdl_lock_set_floor(&lock, 1);
    number(&second);
    rdl_lock_token(&second, token);
    if (_i == 2)
        rdl_lock_set_floor(&lock, 1000);
    ck_assert_int_eq(rdl_lock_adopt(&lock, token, sizeof token), RDL_OK);
    ck_assert_uint_eq(rdl_lock_fence(&lock), 0);
    ck_assert_int_eq(rdl_lock_extend(&lock, &client_net, TTL), RDL_ADOPTED);
    ck_assert_uint_eq(rdl_lock_fence(&lock), 0);
    ck_assert_int_eq(rdl_lock_release(&lock, &client_net), RDL_OK);
    ck_assert_uint_eq(number(&lock), _i == 0 ? 3 : _i == 1 ? 2 : 1000);
}
END_TEST

START_TEST(a_floor_is_the_least_number)
{
    rdl_lock_set_floor(&lock, 1700000000123);
    ck_assert_uint_eq(cycle(&lock), 1700000000123);
    rdl_lock_set_floor(&lock, 5); /* what was given already counts more */
    ck_assert_uint_eq(cycle(&lock), 1700000000124);
    ck_assert_uint_eq(cycle(&second), 1700000000125);
}
END_TEST

/* The server forgot: those who have a clock, or were there before, still get a larger number. */
START_TEST(a_floor_of_nothing_is_none)
{
    rdl_lock_set_floor(&lock, 0);
    ck_assert_uint_eq(cycle(&lock), 1);
    ck_assert_uint_eq(cycle(&lock), 2);
}
END_TEST

START_TEST(numbers_grow_over_a_lost_fence_where_there_is_a_floor)
{
    uint64_t n;

    rdl_lock_set_floor(&lock, 1700000000000);
    n = cycle(&lock);
    live_command(&server, "FLUSHALL");
    if (_i)
        rdl_lock_set_floor(&second, 1700000060000);
    ck_assert_uint_gt(cycle(_i ? &second : &lock), n);
}
END_TEST

START_TEST(large_numbers_are_exact)
{
    static const uint64_t floors[] = {99999999999999, 100000000000001, 4503599627370497, 9007199254740000};
    int i;

    rdl_lock_set_floor(&lock, floors[_i]);
    for (i = 0; i < 3; i++)
        ck_assert_uint_eq(cycle(&lock), floors[_i] + (unsigned)i);
    ck_assert_uint_eq(strtoull(strchr(live_command(&server, "GET {nightly}:fence"), '\n'), NULL, 10),
                      floors[_i] + 2);
}
END_TEST

START_TEST(the_fence_outlives_its_leases_and_not_for_ever)
{
    static const uint32_t ttls[] = {TTL, DAY_MS / 4, DAY_MS};
    static const long least[] = {DAY_MS, DAY_MS, 4L * DAY_MS};

    opt.ttl_ms = ttls[_i];
    number(&lock);
    ck_assert_int_le(pttl("{nightly}:fence"), least[_i]);
    ck_assert_int_gt(pttl("{nightly}:fence"), least[_i] - 60000);
    ck_assert_int_eq(rdl_lock_release(&lock, &client_net), RDL_OK);
    live_command(&server, "PEXPIRE {nightly}:fence 60000");
    number(&lock);
    ck_assert_int_gt(pttl("{nightly}:fence"), least[_i] - 60000); /* armed anew */
}
END_TEST

/* In the name's own slot of a cluster. */
START_TEST(the_fence_stands_beside_the_name)
{
    static const char *const names[] = {"nightly", "{jobs}:nightly", "a{b", "{x}", "a b"};
    static const char *const fences[] = {"{nightly}:fence", "{jobs}:nightly:fence", "{a{b}:fence",
                                         "{x}:fence", "{a b}:fence"};

    rdl_lock_init(&lock, &rdl_lock_fenced, &opt, &client.conn, names[_i], strlen(names[_i]));
    number(&lock);
    ck_assert_int_gt(pttl(fences[_i]), 0);
    ck_assert_str_eq(live_command(&server, "DBSIZE"), ":2\r\n");
}
END_TEST

START_TEST(the_longest_name_has_a_fence)
{
    static char name[RDL_NAME_MAX + 1]; /* with its NUL, for the raw commands */

    memset(name, 'n', RDL_NAME_MAX);
    rdl_lock_init(&lock, &rdl_lock_fenced, &opt, &client.conn, name, RDL_NAME_MAX);
    live_command(&server, "SCRIPT FLUSH");
    rdl_lock_set_floor(&lock, 9007199254740000);
    ck_assert_uint_eq(cycle(&lock), 9007199254740000);
    ck_assert_int_eq(pttl(name), -2);
    ck_assert_str_eq(live_command(&server, "DBSIZE"), ":1\r\n");
}
END_TEST

START_TEST(a_server_without_the_script_is_given_it)
{
    uint64_t n = cycle(&lock);

    ck_assert_uint_eq(cycle(&lock), n + 1);
    live_command(&server, "SCRIPT FLUSH");
    ck_assert_uint_eq(cycle(&lock), n + 2);
}
END_TEST

START_TEST(busy_says_how_long_the_holder_has_left)
{
    number(&lock);
    live_command(&server, "PEXPIRE nightly 7000");
    ck_assert_int_eq(rdl_lock_acquire(&second, &client_net), RDL_BUSY);
    ck_assert_int_gt(rdl_lock_holder_ms(&second), 0);
    ck_assert_int_le(rdl_lock_holder_ms(&second), 7000);
    ck_assert_uint_eq(rdl_lock_fence(&second), 0);
    ck_assert_str_eq(live_command(&server, "GET {nightly}:fence"), "$1\r\n1\r\n"); /* nobody counted */
}
END_TEST

START_TEST(a_foreign_lock_is_busy_and_not_counted)
{
    live_command(&server, _i ? "LPUSH nightly x" : "SET nightly other");
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_net), _i ? RDL_E_WRONGTYPE : RDL_BUSY);
    if (_i == 0)
        ck_assert_int_eq(rdl_lock_holder_ms(&lock), -1);
    ck_assert_str_eq(live_command(&server, "DBSIZE"), ":1\r\n");
}
END_TEST

/* A fence that is no number stops the script before it wrote anything. */
START_TEST(a_spoilt_fence_is_an_error_and_no_lock)
{
    live_command(&server, _i ? "LPUSH {nightly}:fence x" : "SET {nightly}:fence spoilt");
    ck_assert_int_lt(rdl_lock_acquire(&lock, &client_net), 0);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&lock, client_now()), 0);
    ck_assert_str_eq(live_command(&server, "EXISTS nightly"), ":0\r\n");
}
END_TEST

START_TEST(px_and_fenced_keep_each_other_out)
{
    rdl_lock_init(&second, &rdl_lock_px, &opt, &other.conn, "nightly", 7);
    number(&lock);
    ck_assert_int_eq(rdl_lock_acquire(&second, &client_net), RDL_BUSY);
    ck_assert_int_eq(rdl_lock_release(&lock, &client_net), RDL_OK);
    ck_assert_int_eq(rdl_lock_acquire(&second, &client_net), RDL_OK);
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_net), RDL_BUSY);
}
END_TEST

/* ---------------------------------------------------------------- where scripts are refused */

START_TEST(without_scripts_it_is_refused_and_nothing_is_written)
{
    static const char *const args[] = {"--rename-command", "EVAL", "",  "--rename-command",
                                       "EVALSHA",          "",     NULL};

    begin(_i == 0 ? args : NULL);
    if (_i == 1)
        live_command(&server, "ACL SETUSER default -@scripting");
    opt.wait_ms = 15000; /* no waiting helps */
    opt.retry_ms = 1;
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_net), RDL_E_FENCE);
    ck_assert_uint_eq(rdl_lock_fence(&lock), 0);
    ck_assert_str_eq(live_command(&server, "DBSIZE"), ":0\r\n");
}
END_TEST

START_TEST(where_only_evalsha_is_refused_eval_counts)
{
    static const char *const args[] = {"--rename-command", "EVALSHA", "", NULL};

    begin(args);
    ck_assert_uint_eq(cycle(&lock), 1);
    ck_assert_uint_eq(cycle(&lock), 2);
}
END_TEST

Suite *suite_lock_fenced(void);

Suite *suite_lock_fenced(void)
{
    Suite *suite = suite_create("lock_fenced");
    TCase *tc = tcase_create("numbers");
    TCase *refused = tcase_create("refused");

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, numbers_grow_from_holder_to_holder);
    tcase_add_test(tc, numbers_grow_when_a_lease_ends_by_itself);
    tcase_add_test(tc, an_extend_keeps_the_number);
    tcase_add_loop_test(tc, a_lease_that_was_adopted_has_no_number, 0, 3);
    tcase_add_test(tc, a_floor_is_the_least_number);
    tcase_add_test(tc, a_floor_of_nothing_is_none);
    tcase_add_loop_test(tc, numbers_grow_over_a_lost_fence_where_there_is_a_floor, 0, 2);
    tcase_add_loop_test(tc, large_numbers_are_exact, 0, 4);
    tcase_add_loop_test(tc, the_fence_outlives_its_leases_and_not_for_ever, 0, 3);
    tcase_add_loop_test(tc, the_fence_stands_beside_the_name, 0, 5);
    tcase_add_test(tc, the_longest_name_has_a_fence);
    tcase_add_test(tc, a_server_without_the_script_is_given_it);
    tcase_add_test(tc, busy_says_how_long_the_holder_has_left);
    tcase_add_loop_test(tc, a_foreign_lock_is_busy_and_not_counted, 0, 2);
    tcase_add_loop_test(tc, a_spoilt_fence_is_an_error_and_no_lock, 0, 2);
    tcase_add_test(tc, px_and_fenced_keep_each_other_out);
    suite_add_tcase(suite, tc);
    tcase_add_checked_fixture(refused, NULL, teardown);
    tcase_add_loop_test(refused, without_scripts_it_is_refused_and_nothing_is_written, 0, 2);
    tcase_add_test(refused, where_only_evalsha_is_refused_eval_counts);
    suite_add_tcase(suite, refused);
    return suite;
}
