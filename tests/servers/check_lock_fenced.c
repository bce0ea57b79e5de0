/* SPDX-License-Identifier: MIT */
/* Fencing tokens grow, on a real server, whatever happens to the lock and to its fence. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lock/lock_fenced.h"
#include "lock/lock_io.h"
#include "tests/fixtures/client.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

enum { TTL = 20000, DAY_MS = 86400000 };

static struct live_server server;
static struct client client, other;
static struct rdl_lock_fenced lock, second;
static struct rdl_lock_options opt;

static void begin(const char *const *args)
{
    memset(&server, 0, sizeof server);
    client_pair(&server, args, &client, &other);
    memset(&opt, 0, sizeof opt);
    opt.ttl_ms = TTL;
    opt.attempt_ms = 5000;
    rdl_lock_init_fenced(&lock, &opt, &client.conn, "nightly", 7);
    rdl_lock_init_fenced(&second, &opt, &other.conn, "nightly", 7);
}

static void setup(void)
{
    begin(NULL);
}

static void teardown(void)
{
    live_remove(&server);
}

/* Acquire, and return the fencing token. */
static uint64_t number(struct rdl_lock_fenced *l)
{
    ck_assert_int_eq(rdl_lock_acquire(&l->lock, &client_platform), RDL_OK);
    ck_assert_uint_gt(rdl_lock_fence(l), 0);
    return rdl_lock_fence(l);
}

static uint64_t cycle(struct rdl_lock_fenced *l)
{
    uint64_t n = number(l);

    ck_assert_int_eq(rdl_lock_release(&l->lock, &client_platform), RDL_OK);
    ck_assert_uint_eq(rdl_lock_fence(l), 0);
    return n;
}

static long pttl(const char *key)
{
    return strtol(live_command(&server, "PTTL \"%s\"", key) + 1, NULL, 10);
}

START_TEST(fences_grow_from_holder_to_holder)
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

START_TEST(fences_grow_after_a_lease_expires)
{
    uint64_t n = number(&lock);

    live_command(&server, "PEXPIRE nightly 1");
    opt.wait_ms = 15000;
    opt.retry_ms = 1;
    ck_assert_uint_gt(number(&second), n);
    ck_assert_int_eq(rdl_lock_release(&lock.lock, &client_platform), RDL_LOST);
    ck_assert_str_eq(live_command(&server, "EXISTS nightly"), ":1\r\n");
}
END_TEST

START_TEST(an_extend_keeps_the_fence)
{
    uint64_t n = number(&lock);

    ck_assert_int_eq(rdl_lock_extend(&lock.lock, &client_platform, 2 * TTL), RDL_OK);
    ck_assert_uint_eq(rdl_lock_fence(&lock), n);
    ck_assert_int_gt(pttl("nightly"), TTL);
    ck_assert_int_le(pttl("nightly"), 2 * TTL);
}
END_TEST

/*
 * Only the client that took the lock got its fence; an older fence of the same handle, or its minimum,
 * differs.
 */
START_TEST(an_adopted_lease_has_no_fence)
{
    char token[RDL_TOKEN_TEXT_MAX];

    if (_i == 0)
        ck_assert_uint_eq(cycle(&lock), 1);
    else
        rdl_lock_set_min_fence(&lock, 1);
    number(&second);
    rdl_lock_token(&second.lock, token);
    if (_i == 2)
        rdl_lock_set_min_fence(&lock, 1000);
    ck_assert_int_eq(rdl_lock_adopt(&lock.lock, token, strlen(token)), RDL_OK);
    ck_assert_uint_eq(rdl_lock_fence(&lock), 0);
    ck_assert_int_eq(rdl_lock_extend(&lock.lock, &client_platform, TTL), RDL_ADOPTED);
    ck_assert_uint_eq(rdl_lock_fence(&lock), 0);
    ck_assert_int_eq(rdl_lock_release(&lock.lock, &client_platform), RDL_OK);
    ck_assert_uint_eq(number(&lock), _i == 0 ? 3 : _i == 1 ? 2 : 1000);
}
END_TEST

START_TEST(real_fences_start_at_min_fence)
{
    rdl_lock_set_min_fence(&lock, 1700000000123);
    ck_assert_uint_eq(cycle(&lock), 1700000000123);
    rdl_lock_set_min_fence(&lock, 5); /* fences that were given count more */
    ck_assert_uint_eq(cycle(&lock), 1700000000124);
    ck_assert_uint_eq(cycle(&second), 1700000000125);
}
END_TEST

/* The server lost its data: clients with a clock, or with an earlier fence, still get a greater one. */
START_TEST(a_min_fence_of_0_changes_nothing)
{
    rdl_lock_set_min_fence(&lock, 0);
    ck_assert_uint_eq(cycle(&lock), 1);
    ck_assert_uint_eq(cycle(&lock), 2);
}
END_TEST

/* A minimum that is lower, or 0, does not change what the handle knows. */
START_TEST(a_lower_min_fence_keeps_the_last_fence)
{
    static const uint64_t floors[] = {0, 1, 40, 41};

    rdl_lock_set_min_fence(&lock, 41);
    ck_assert_uint_eq(number(&lock), 41);
    rdl_lock_set_min_fence(&lock, floors[_i]);
    ck_assert_uint_eq(rdl_lock_fence(&lock), 41); /* nor does the lease that is held */
    ck_assert_int_eq(rdl_lock_release(&lock.lock, &client_platform), RDL_OK);
    live_command(&server, "DEL {nightly}:fence");
    ck_assert_uint_eq(cycle(&lock), 42);
}
END_TEST

/* A minimum that was too high can be set again. */
START_TEST(a_min_fence_that_scripts_cannot_count_is_refused)
{
    static const uint64_t floors[] = {RDL_FENCE_MAX + 1, 1790000000123456789, UINT64_MAX};

    rdl_lock_set_min_fence(&lock, floors[_i]);
    ck_assert_int_eq(rdl_lock_acquire(&lock.lock, &client_platform), RDL_E_FENCE_RANGE);
    ck_assert_str_eq(live_command(&server, "DBSIZE"), ":0\r\n");
    rdl_lock_set_min_fence(&lock, RDL_FENCE_MAX);
    ck_assert_uint_eq(cycle(&lock), RDL_FENCE_MAX);
    ck_assert_int_eq(rdl_lock_acquire(&lock.lock, &client_platform),
                     RDL_E_FENCE_RANGE); /* the next one is too great */
}
END_TEST

/* The stored fence was written by an older client, or by hand. */
START_TEST(an_exhausted_fence_is_an_error_and_holds_nothing)
{
    static const char *const stored[] = {"9007199254740991", "9007199254740992", "18446744073709551000",
                                         "1e300", "-1e300"};

    live_command(&server, "SET {nightly}:fence %s", stored[_i]);
    ck_assert_int_eq(rdl_lock_acquire(&lock.lock, &client_platform), _i == 4 ? RDL_OK : RDL_E_FENCE_RANGE);
    if (_i == 4) { /* less than any */
        ck_assert_uint_eq(rdl_lock_fence(&lock), 1);
        return;
    }
    ck_assert_uint_eq(rdl_lock_fence(&lock), 0);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&lock.lock, client_now()), 0);
    while (!rdl_conn_is_idle(&client.conn))
        client_step(&client, client_now() + 10);
    ck_assert_str_eq(live_command(&server, "EXISTS nightly"), ":0\r\n");
    live_command(&server, "DEL {nightly}:fence");
    ck_assert_uint_eq(cycle(&lock), 1);
}
END_TEST

START_TEST(fences_grow_after_data_loss_with_a_min_fence)
{
    uint64_t n;

    rdl_lock_set_min_fence(&lock, 1700000000000);
    n = cycle(&lock);
    live_command(&server, "FLUSHALL");
    if (_i)
        rdl_lock_set_min_fence(&second, 1700000060000);
    ck_assert_uint_gt(cycle(_i ? &second : &lock), n);
}
END_TEST

START_TEST(large_fences_are_exact)
{
    static const uint64_t floors[] = {99999999999999, 100000000000001, 4503599627370497, 9007199254740000};
    int i;

    rdl_lock_set_min_fence(&lock, floors[_i]);
    for (i = 0; i < 3; i++)
        ck_assert_uint_eq(cycle(&lock), floors[_i] + (unsigned)i);
    ck_assert_uint_eq(strtoull(strchr(live_command(&server, "GET {nightly}:fence"), '\n'), NULL, 10),
                      floors[_i] + 2);
}
END_TEST

START_TEST(the_fence_key_does_not_expire_by_default)
{
    number(&lock);
    ck_assert_int_eq(pttl("{nightly}:fence"), -1);
    ck_assert_int_eq(rdl_lock_extend(&lock.lock, &client_platform, 2 * TTL), RDL_OK);
    ck_assert_int_eq(rdl_lock_release(&lock.lock, &client_platform), RDL_OK);
    ck_assert_int_eq(pttl("{nightly}:fence"), -1);
    live_command(&server, "PEXPIRE {nightly}:fence 60000"); /* an older client's */
    number(&lock);
    ck_assert_int_eq(pttl("{nightly}:fence"), -1);
}
END_TEST

static void ck_fence_lives(long ms)
{
    ck_assert_int_le(pttl("{nightly}:fence"), ms);
    ck_assert_int_gt(pttl("{nightly}:fence"), ms - 60000);
}

START_TEST(a_fence_expiry_starts_when_the_lease_ends)
{
    static const uint32_t ttls[] = {TTL, DAY_MS}, expiries[] = {DAY_MS, RDL_TTL_MAX};

    opt.ttl_ms = ttls[_i];
    opt.fence_expiry_ms = expiries[_i];
    number(&lock);
    ck_fence_lives((long)expiries[_i] + (long)ttls[_i]);
    live_command(&server, "PEXPIRE {nightly}:fence 60000");
    ck_assert_int_eq(rdl_lock_extend(&lock.lock, &client_platform, 2 * ttls[_i]), RDL_OK);
    ck_fence_lives((long)expiries[_i] + 2 * (long)ttls[_i]);
    ck_assert_int_eq(rdl_lock_release(&lock.lock, &client_platform), RDL_OK);
    live_command(&server, "PEXPIRE {nightly}:fence 60000");
    number(&lock);
    ck_fence_lives((long)expiries[_i] + (long)ttls[_i]);
}
END_TEST

/* Another program overwrote or deleted the fence: the holder knows it. */
START_TEST(an_extend_restores_the_fence)
{
    static const char *const deeds[] = {"DEL {nightly}:fence", "SET {nightly}:fence spoilt",
                                        "SET {nightly}:fence 40"};

    rdl_lock_set_min_fence(&lock, 41);
    ck_assert_uint_eq(number(&lock), 41);
    live_command(&server, "%s", deeds[_i]);
    ck_assert_int_eq(rdl_lock_extend(&lock.lock, &client_platform, TTL), RDL_OK);
    ck_assert_uint_eq(rdl_lock_fence(&lock), 41);
    ck_assert_int_eq(rdl_lock_release(&lock.lock, &client_platform), RDL_OK);
    ck_assert_uint_eq(number(&second), 42);
}
END_TEST

/* ---------------------------------------------------------------- days, in virtual time */

static struct scripted still;
static uint64_t now;

static void setup_still(void)
{
    now = 1000;
    scripted_init(&still);
    scripted_model(&still, now);
    scripted_open(&still, now);
    memset(&opt, 0, sizeof opt);
    opt.ttl_ms = TTL;
    rdl_lock_init_fenced(&lock, &opt, &still.conn, "nightly", 7);
    rdl_lock_init_fenced(&second, &opt, &still.conn, "nightly", 7);
}

static int settle(struct rdl_lock_fenced *l, int rc)
{
    still.len = still.seen = still.served = 0; /* all bytes were handled; free the space */
    while (rc == RDL_PENDING) {
        scripted_serve(&still, now);
        rc = rdl_lock_step(&l->lock, now);
    }
    return rc;
}

static uint64_t take(struct rdl_lock_fenced *l)
{
    ck_assert_int_eq(settle(l, rdl_lock_acquire_begin(&l->lock, entropy_bytes(), now)), RDL_OK);
    return rdl_lock_fence(l);
}

static void let_go(struct rdl_lock_fenced *l)
{
    ck_assert_int_eq(settle(l, rdl_lock_release_begin(&l->lock, now)), RDL_OK);
}

static void hold_for(struct rdl_lock_fenced *l, uint64_t ms)
{
    uint64_t end;

    for (end = now + ms; now < end; now += TTL / 2)
        ck_assert_int_eq(settle(l, rdl_lock_extend_begin(&l->lock, TTL, now)), RDL_OK);
}

/* A long wait keeps it current: the next attempt starts with it. */
START_TEST(min_fence_may_rise_while_an_acquire_waits)
{
    int rc, i;

    opt.wait_ms = 60000;
    opt.retry_ms = 50;
    ck_assert_uint_eq(take(&lock), 1);
    rc = rdl_lock_acquire_begin(&second.lock, token_bytes(7), now); /* another client's */
    for (i = 0; i < 8; i++) {
        still.len = still.seen = still.served = 0;
        rdl_lock_set_min_fence(&second, 1000 + now);
        ck_assert_int_eq(rc = rdl_lock_step(&second.lock, now), RDL_PENDING);
        scripted_serve(&still, now);
        now = rdl_lock_wake_ms(&second.lock) > now ? rdl_lock_wake_ms(&second.lock) : now;
    }
    let_go(&lock);
    while (rc == RDL_PENDING) {
        rdl_lock_set_min_fence(&second, 1000 + now);
        rc = rdl_lock_step(&second.lock, now);
        scripted_serve(&still, now);
        now += rc == RDL_PENDING;
    }
    ck_assert_int_eq(rc, RDL_OK);
    ck_assert_uint_ge(rdl_lock_fence(&second) + 10, 1000 + now);
    ck_assert_uint_le(rdl_lock_fence(&second), 1000 + now);
}
END_TEST

START_TEST(fences_grow_after_days_without_a_holder)
{
    uint64_t n = take(&lock);

    let_go(&lock);
    now += 400 * (uint64_t)DAY_MS;
    ck_assert_uint_gt(take(&second), n);
}
END_TEST

/* Without an expiry, and with one that is shorter than the hold. */
START_TEST(fences_grow_after_a_hold_of_a_day)
{
    uint64_t n;

    opt.fence_expiry_ms = _i ? 3600000 : 0;
    n = take(&lock);
    hold_for(&lock, DAY_MS + 1);
    ck_assert_uint_eq(rdl_lock_fence(&lock), n);
    now += TTL; /* no release: the lease ends */
    ck_assert_uint_gt(take(&second), n);
    hold_for(&second, DAY_MS + 1);
    let_go(&second);
    now += 3600000 - 1;
    ck_assert_uint_gt(take(&lock), n + 1);
}
END_TEST

/* An adopted lock has no fence, and its holder still keeps the fence key. */
START_TEST(a_fence_with_an_expiry_outlives_an_adopted_hold)
{
    char token[RDL_TOKEN_TEXT_MAX];

    opt.fence_expiry_ms = 3600000;
    rdl_lock_set_min_fence(&lock, 41);
    ck_assert_uint_eq(take(&lock), 41);
    rdl_lock_token(&lock.lock, token);
    ck_assert_int_eq(rdl_lock_adopt(&second.lock, token, strlen(token)), RDL_OK);
    ck_assert_int_eq(settle(&second, rdl_lock_extend_begin(&second.lock, TTL, now)), RDL_ADOPTED);
    hold_for(&second, DAY_MS);
    let_go(&second);
    rdl_lock_init_fenced(&lock, &opt, &still.conn, "nightly", 7);
    ck_assert_uint_eq(take(&lock), 42);
}
END_TEST

START_TEST(a_fence_expires_if_the_lock_is_not_held_for_that_long)
{
    opt.fence_expiry_ms = 3600000;
    rdl_lock_set_min_fence(&lock, 41);
    ck_assert_uint_eq(take(&lock), 41);
    let_go(&lock);
    now += 3600000 + TTL + 1;
    ck_assert_uint_eq(take(&second), 1);
}
END_TEST

/* In the name's own slot of a cluster. */
START_TEST(the_fence_key_is_in_the_slot_of_the_name)
{
    static const char *const names[] = {"nightly", "{jobs}:nightly", "a{b", "{x}", "a b"};
    static const char *const fences[] = {"{nightly}:fence", "{jobs}:nightly:fence", "{a{b}:fence",
                                         "{x}:fence", "{a b}:fence"};

    rdl_lock_init_fenced(&lock, &opt, &client.conn, names[_i], strlen(names[_i]));
    number(&lock);
    ck_assert_int_eq(pttl(fences[_i]), -1);
    ck_assert_str_eq(live_command(&server, "DBSIZE"), ":2\r\n");
}
END_TEST

START_TEST(the_longest_name_has_a_fence)
{
    static char name[RDL_NAME_MAX + 1]; /* with its NUL, for the raw commands */

    memset(name, 'n', RDL_NAME_MAX);
    rdl_lock_init_fenced(&lock, &opt, &client.conn, name, RDL_NAME_MAX);
    live_command(&server, "SCRIPT FLUSH");
    rdl_lock_set_min_fence(&lock, 9007199254740000);
    ck_assert_uint_eq(cycle(&lock), 9007199254740000);
    ck_assert_int_eq(pttl(name), -2);
    ck_assert_str_eq(live_command(&server, "DBSIZE"), ":1\r\n");
}
END_TEST

START_TEST(a_missing_fence_script_is_sent)
{
    uint64_t n = cycle(&lock);

    ck_assert_uint_eq(cycle(&lock), n + 1);
    live_command(&server, "SCRIPT FLUSH");
    ck_assert_uint_eq(cycle(&lock), n + 2);
}
END_TEST

START_TEST(busy_reports_how_long_a_fenced_holder_has_left)
{
    number(&lock);
    live_command(&server, "PEXPIRE nightly 7000");
    ck_assert_int_eq(rdl_lock_acquire(&second.lock, &client_platform), RDL_BUSY);
    ck_assert_int_gt(rdl_lock_holder_ms(&second.lock), 0);
    ck_assert_int_le(rdl_lock_holder_ms(&second.lock), 7000);
    ck_assert_uint_eq(rdl_lock_fence(&second), 0);
    ck_assert_str_eq(live_command(&server, "GET {nightly}:fence"), "$1\r\n1\r\n"); /* it was not counted */
}
END_TEST

START_TEST(a_foreign_lock_is_busy_and_does_not_raise_the_fence)
{
    live_command(&server, _i ? "LPUSH nightly x" : "SET nightly other");
    ck_assert_int_eq(rdl_lock_acquire(&lock.lock, &client_platform), _i ? RDL_E_WRONGTYPE : RDL_BUSY);
    if (_i == 0)
        ck_assert_int_eq(rdl_lock_holder_ms(&lock.lock), -1);
    ck_assert_str_eq(live_command(&server, "DBSIZE"), ":1\r\n");
}
END_TEST

/* A fence that is no number stops the script before it writes anything. */
START_TEST(an_invalid_fence_key_is_an_error_and_no_lock)
{
    live_command(&server, _i ? "LPUSH {nightly}:fence x" : "SET {nightly}:fence spoilt");
    ck_assert_int_lt(rdl_lock_acquire(&lock.lock, &client_platform), 0);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&lock.lock, client_now()), 0);
    ck_assert_str_eq(live_command(&server, "EXISTS nightly"), ":0\r\n");
}
END_TEST

START_TEST(plain_and_fenced_locks_exclude_each_other)
{
    struct rdl_lock plain;

    rdl_lock_init(&plain, &opt, &other.conn, "nightly", 7);
    number(&lock);
    ck_assert_int_eq(rdl_lock_acquire(&plain, &client_platform), RDL_BUSY);
    ck_assert_int_eq(rdl_lock_release(&lock.lock, &client_platform), RDL_OK);
    ck_assert_int_eq(rdl_lock_acquire(&plain, &client_platform), RDL_OK);
    ck_assert_int_eq(rdl_lock_acquire(&lock.lock, &client_platform), RDL_BUSY);
}
END_TEST

/* ---------------------------------------------------------------- without scripts */

START_TEST(a_fenced_lock_without_scripts_is_refused_unwritten)
{
    static const char *const args[] = {LIVE_WITHOUT_SCRIPTS, NULL};

    begin(_i == 0 ? args : NULL);
    if (_i == 1)
        live_command(&server, "ACL SETUSER default -@scripting");
    opt.wait_ms = 15000; /* waiting does not help */
    opt.retry_ms = 1;
    ck_assert_int_eq(rdl_lock_acquire(&lock.lock, &client_platform),
                     _i == 0 ? RDL_E_UNSUPPORTED : RDL_E_PERM);
    ck_assert_uint_eq(rdl_lock_fence(&lock), 0);
    ck_assert_str_eq(live_command(&server, "DBSIZE"), ":0\r\n");
}
END_TEST

/* A grant could fix it, so it is not a missing feature of the server. */
START_TEST(a_forbidden_fence_key_is_a_permission_error)
{
    begin(NULL);
    live_command(&server, "ACL SETUSER default resetkeys ~%s", "nightly");
    opt.wait_ms = 15000; /* waiting does not help */
    opt.retry_ms = 1;
    ck_assert_int_eq(rdl_lock_acquire(&lock.lock, &client_platform), RDL_E_PERM);
    ck_assert_int_eq(strncmp(rdl_conn_text(&client.conn), "NOPERM ", 7), 0);
    live_command(&server, "ACL SETUSER default ~{nightly}:fence");
    ck_assert_int_eq(rdl_lock_acquire(&second.lock, &client_platform), RDL_OK); /* on its own connection */
}
END_TEST

START_TEST(eval_counts_the_fence_if_only_evalsha_is_refused)
{
    static const char *const args[] = {LIVE_WITHOUT("EVALSHA"), NULL};

    begin(args);
    ck_assert_uint_eq(cycle(&lock), 1);
    ck_assert_uint_eq(cycle(&lock), 2);
}
END_TEST

Suite *suite_lock_fenced(void)
{
    Suite *suite = suite_create("lock_fenced");
    TCase *tc = suite_case(suite, "fences", setup, teardown);
    TCase *refused = suite_case(suite, "refused", NULL, teardown);
    TCase *days = suite_case(suite, "days", setup_still, NULL);

    tcase_add_test(tc, fences_grow_from_holder_to_holder);
    tcase_add_test(tc, fences_grow_after_a_lease_expires);
    tcase_add_test(tc, an_extend_keeps_the_fence);
    tcase_add_loop_test(tc, an_adopted_lease_has_no_fence, 0, 3);
    tcase_add_test(tc, real_fences_start_at_min_fence);
    tcase_add_test(tc, a_min_fence_of_0_changes_nothing);
    tcase_add_loop_test(tc, a_lower_min_fence_keeps_the_last_fence, 0, 4);
    tcase_add_loop_test(tc, a_min_fence_that_scripts_cannot_count_is_refused, 0, 3);
    tcase_add_loop_test(tc, an_exhausted_fence_is_an_error_and_holds_nothing, 0, 5);
    tcase_add_loop_test(tc, fences_grow_after_data_loss_with_a_min_fence, 0, 2);
    tcase_add_loop_test(tc, large_fences_are_exact, 0, 4);
    tcase_add_test(tc, the_fence_key_does_not_expire_by_default);
    tcase_add_loop_test(tc, a_fence_expiry_starts_when_the_lease_ends, 0, 2);
    tcase_add_loop_test(tc, an_extend_restores_the_fence, 0, 3);
    tcase_add_loop_test(tc, the_fence_key_is_in_the_slot_of_the_name, 0, 5);
    tcase_add_test(tc, the_longest_name_has_a_fence);
    tcase_add_test(tc, a_missing_fence_script_is_sent);
    tcase_add_test(tc, busy_reports_how_long_a_fenced_holder_has_left);
    tcase_add_loop_test(tc, a_foreign_lock_is_busy_and_does_not_raise_the_fence, 0, 2);
    tcase_add_loop_test(tc, an_invalid_fence_key_is_an_error_and_no_lock, 0, 2);
    tcase_add_test(tc, plain_and_fenced_locks_exclude_each_other);
    tcase_add_loop_test(refused, a_fenced_lock_without_scripts_is_refused_unwritten, 0, 2);
    tcase_add_test(refused, a_forbidden_fence_key_is_a_permission_error);
    tcase_add_test(refused, eval_counts_the_fence_if_only_evalsha_is_refused);
    tcase_add_test(days, min_fence_may_rise_while_an_acquire_waits);
    tcase_add_test(days, fences_grow_after_days_without_a_holder);
    tcase_add_loop_test(days, fences_grow_after_a_hold_of_a_day, 0, 2);
    tcase_add_test(days, a_fence_with_an_expiry_outlives_an_adopted_hold);
    tcase_add_test(days, a_fence_expires_if_the_lock_is_not_held_for_that_long);
    return suite;
}
