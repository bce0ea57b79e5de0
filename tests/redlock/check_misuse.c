/* SPDX-License-Identifier: MIT */
/*
 * check_misuse.c - programs that copy handles and make connections again: each such use works, or is refused
 * by an error or by an assertion. tests/sim/sim_misuse.c has the same in schedules.
 *
 * Rules R23, R26.
 */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lock/lock_lease.h"
#include "net/net_op.h"
#include "tests/fixtures/fleet.h"
#include "tests/sim/any_lock.h"
#include "tests/suite.h"

enum { NOW = 10000000, SERVERS = 3, MODES = MODE_LEGACY_SHORTEST + 1 };

static struct rdl_redlock copy;
static struct rdl_redlock *const lock = &fleet.lock;

/* Every server replies, and the lock sees it. */
static int settle(struct rdl_redlock *r, int rc)
{
    fleet_serve_all(NOW);
    rc = rc == RDL_PENDING ? rdl_redlock_step(r, NOW) : rc;
    fleet_serve_all(NOW);
    return rc;
}

static int acquire(struct rdl_redlock *r)
{
    return settle(r, rdl_redlock_acquire_begin(r, entropy_bytes(), NOW));
}

static int release(struct rdl_redlock *r)
{
    return settle(r, rdl_redlock_release_begin(r, NOW));
}

/* ---------------------------------------------------------------- copies of a redlock */

START_TEST(copy_of_a_held_redlock_holds_nothing)
{
    fleet_init(SERVERS, NOW);
    ck_assert_int_eq(acquire(lock), RDL_OK);
    copy = *lock;
    ck_assert_uint_eq(rdl_redlock_remaining_ms(&copy, NOW), 0);
    ck_assert_uint_eq(rdl_redlock_until_ms(&copy), 0);
    ck_assert_int_eq(rdl_redlock_extend_begin(&copy, FLEET_TTL, NOW), RDL_E_SHARED);
    ck_assert_int_eq(rdl_redlock_step(&copy, NOW), RDL_E_SHARED);
    if (_i)
        rdl_redlock_cancel(&copy);
    else
        ck_assert_int_eq(rdl_redlock_release_begin(&copy, NOW), RDL_E_SHARED);
    ck_assert_int_eq(rdl_redlock_acquire_begin(&copy, token_bytes(7), NOW), RDL_E_SHARED);
    fleet_serve_all(NOW);
    ck_assert_uint_eq(fleet_keys(NOW), SERVERS);
    ck_assert_uint_gt(rdl_redlock_remaining_ms(lock, NOW), 0);
    ck_assert_int_eq(release(lock), RDL_OK);
}
END_TEST

/* It would count the other's replies as its own. */
START_TEST(copy_of_a_pending_redlock_takes_no_votes)
{
    fleet_init(SERVERS, NOW);
    ck_assert_int_eq(rdl_redlock_acquire_begin(lock, entropy_bytes(), NOW), RDL_PENDING);
    copy = *lock;
    fleet_serve_all(NOW);
    ck_assert_int_eq(rdl_redlock_step(&copy, NOW), RDL_E_SHARED);
    ck_assert_int_eq(rdl_redlock_step(lock, NOW), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_remaining_ms(&copy, NOW), 0);
}
END_TEST

/* It may be moved; but the first of two copies that is used again has servers[] for itself. */
START_TEST(of_two_idle_copies_only_the_first_used_works)
{
    struct rdl_redlock *first = _i ? &copy : lock, *second = _i ? lock : &copy;

    fleet_init(SERVERS, NOW);
    ck_assert_int_eq(acquire(lock), RDL_OK);
    ck_assert_int_eq(release(lock), RDL_OK);
    copy = *lock;
    ck_assert_int_eq(rdl_redlock_acquire_begin(first, entropy_bytes(), NOW), RDL_PENDING);
    ck_assert_int_eq(rdl_redlock_acquire_begin(second, token_bytes(7), NOW), RDL_E_SHARED);
    ck_assert_int_eq(rdl_redlock_step(second, NOW), RDL_E_SHARED);
    ck_assert_int_eq(settle(first, RDL_PENDING), RDL_OK);
    ck_assert_int_eq(rdl_redlock_adopt(second, token_hex(7), 2 * RDL_TOKEN_LEN), RDL_E_SHARED);
    ck_assert_int_eq(release(first), RDL_OK);
    ck_assert_int_eq(acquire(second), RDL_E_SHARED);
}
END_TEST

/* It may be moved after that, too. */
START_TEST(failed_release_is_repeated_by_one_copy_only)
{
    struct rdl_redlock *first = _i ? &copy : lock, *second = _i ? lock : &copy;

    fleet_init(SERVERS, NOW);
    ck_assert_int_eq(acquire(lock), RDL_OK);
    fleet_befall("eee", NOW);
    ck_assert_int_eq(release(lock), RDL_UNKNOWN);
    copy = *lock;
    ck_assert_int_eq(rdl_redlock_release_begin(first, NOW), RDL_PENDING);
    ck_assert_int_eq(rdl_redlock_acquire_begin(second, token_bytes(7), NOW), RDL_E_SHARED);
    ck_assert_int_eq(settle(first, RDL_PENDING), RDL_UNKNOWN);
}
END_TEST

/* The number that tells copies apart comes from the entropy. */
START_TEST(every_acquire_ends_the_use_of_the_copies)
{
    uint8_t entropy[RDL_ENTROPY_LEN] = {0};
    uint32_t i;

    fleet_init(SERVERS, NOW);
    for (i = 1; (rdl_token_seed(entropy) & 0xffff) != 0; i++)
        memcpy(entropy, &i, sizeof i);
    copy = *lock;
    ck_assert_int_eq(rdl_redlock_acquire_begin(lock, entropy, NOW), RDL_PENDING);
    ck_assert_int_eq(rdl_redlock_acquire_begin(&copy, token_bytes(7), NOW), RDL_E_SHARED);
}
END_TEST

/* ---------------------------------------------------------------- copies of a lock on one server */

static struct scripted s;
static union any_lock own, twin;
static const struct rdl_lock_options opt = {.ttl_ms = 10000, .attempt_ms = 250};

static void begin(enum any_mode mode)
{
    scripted_init(&s);
    scripted_model(&s, NOW);
    scripted_open(&s, NOW);
    any_lock_init(&own, mode, &opt, &s.conn, "k", 1);
}

static int run(struct rdl_lock *l, int rc)
{
    int i;

    for (i = 0; rc == RDL_PENDING && i < 9; i++) {
        scripted_serve(&s, NOW);
        rc = rdl_lock_step(l, NOW);
    }
    return rc;
}

/* Nothing refers to it then. */
START_TEST(copy_of_an_unused_lock_is_another_lock)
{
    begin((enum any_mode)_i);
    ck_assert_int_eq(run(&own.lock, rdl_lock_acquire_begin(&own.lock, entropy_bytes(), NOW)), RDL_OK);
    ck_assert_int_eq(run(&own.lock, rdl_lock_release_begin(&own.lock, NOW)), RDL_OK);
    twin = own;
    ck_assert_int_eq(run(&twin.lock, rdl_lock_acquire_begin(&twin.lock, token_bytes(1), NOW)), RDL_OK);
    ck_assert_int_lt(run(&own.lock, rdl_lock_acquire_begin(&own.lock, token_bytes(2), NOW)), 0);
    ck_assert_int_eq(run(&twin.lock, rdl_lock_release_begin(&twin.lock, NOW)), RDL_OK);
    ck_assert_int_eq(run(&own.lock, rdl_lock_acquire_begin(&own.lock, token_bytes(3), NOW)), RDL_OK);
    ck_assert_uint_gt(rdl_lock_remaining_ms(&own.lock, NOW), 0);
}
END_TEST

/* Or the program ends there, if it was built with assertions. */
START_TEST(copy_of_a_held_lock_has_no_remaining_time)
{
    int status;
    pid_t pid;

    begin((enum any_mode)_i);
    ck_assert_int_eq(run(&own.lock, rdl_lock_acquire_begin(&own.lock, entropy_bytes(), NOW)), RDL_OK);
    twin = own;
    pid = fork();
    if (pid == 0)
        _exit(rdl_lock_remaining_ms(&twin.lock, NOW) != 0);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    if (WIFSIGNALED(status))
        ck_assert_int_eq(WTERMSIG(status), SIGABRT);
    else
        ck_assert_int_eq(status, 0);
    ck_assert_uint_gt(rdl_lock_remaining_ms(&own.lock, NOW), 0);
}
END_TEST

static void remaining(void)
{
    (void)rdl_lock_remaining_ms(&twin.lock, NOW);
}

static void until(void)
{
    (void)rdl_lock_until_ms(&twin.lock);
}

static void extend(void)
{
    (void)rdl_lock_extend_begin(&twin.lock, opt.ttl_ms, NOW);
}

static void let_go(void)
{
    (void)rdl_lock_release_begin(&twin.lock, NOW);
}

static void cancel(void)
{
    rdl_lock_cancel(&twin.lock);
}

static void expire(void)
{
    (void)rdl_lock_acquire_begin(&twin.lock, token_bytes(1), NOW + 60000);
}

static void (*const uses[])(void) = {remaining, until, extend, let_go, cancel, expire};

START_TEST(use_of_a_copy_of_a_held_lock_aborts)
{
    begin((enum any_mode)(_i % MODES));
    ck_assert_int_eq(run(&own.lock, rdl_lock_acquire_begin(&own.lock, entropy_bytes(), NOW)), RDL_OK);
    twin = own;
    uses[_i / MODES]();
}
END_TEST

START_TEST(use_of_a_copy_of_an_adopted_lock_aborts)
{
    begin(MODE_PLAIN);
    ck_assert_int_eq(rdl_lock_adopt(&own.lock, token_hex(7), 2 * RDL_TOKEN_LEN), RDL_OK);
    twin = own;
    extend();
}
END_TEST

/* Both would send the same token. */
START_TEST(step_of_a_copy_of_a_pending_lock_aborts)
{
    begin((enum any_mode)_i);
    if (_i == 0) /* it still waits for its connection */
        scripted_init(&s);
    ck_assert_int_eq(rdl_lock_acquire_begin(&own.lock, entropy_bytes(), NOW), RDL_PENDING);
    twin = own;
    (void)rdl_lock_step(&twin.lock, NOW);
}
END_TEST

/* ---------------------------------------------------------------- connections that are made again */

START_TEST(lock_works_on_a_connection_that_was_made_again)
{
    begin((enum any_mode)_i);
    ck_assert_int_eq(run(&own.lock, rdl_lock_acquire_begin(&own.lock, entropy_bytes(), NOW)), RDL_OK);
    ck_assert_int_eq(run(&own.lock, rdl_lock_release_begin(&own.lock, NOW)), RDL_OK);
    scripted_serve(&s, NOW);
    rdl_conn_init(&s.conn, &s.cfg);
    memset(&s.session, 0, sizeof s.session);
    scripted_open(&s, NOW);
    ck_assert_int_eq(run(&own.lock, rdl_lock_acquire_begin(&own.lock, entropy_bytes(), NOW)), RDL_OK);
    ck_assert_int_eq(run(&own.lock, rdl_lock_release_begin(&own.lock, NOW)), RDL_OK);
}
END_TEST

/* Its queue has forgotten the request. */
START_TEST(connection_made_again_under_an_operation_aborts)
{
    begin((enum any_mode)_i);
    ck_assert_int_eq(rdl_lock_acquire_begin(&own.lock, entropy_bytes(), NOW), RDL_PENDING);
    rdl_conn_init(&s.conn, &s.cfg);
    rdl_lock_cancel(&own.lock);
}
END_TEST

START_TEST(connection_made_again_under_an_extend_aborts)
{
    begin(MODE_PLAIN);
    ck_assert_int_eq(run(&own.lock, rdl_lock_acquire_begin(&own.lock, entropy_bytes(), NOW)), RDL_OK);
    ck_assert_int_eq(rdl_lock_extend_begin(&own.lock, opt.ttl_ms, NOW), RDL_PENDING);
    rdl_conn_init(&s.conn, &s.cfg);
    (void)rdl_lock_step(&own.lock, NOW + opt.ttl_ms);
}
END_TEST

/*
 * A conn that is set up again checks no server until its redlock is set up again. So it does not count, also
 * if servers that refuse INFO do; one has lost its locks just now.
 */
START_TEST(connection_made_again_under_a_guard_does_not_count)
{
    static const enum rdl_guard guards[] = {RDL_GUARD_STRICT, RDL_GUARD_REQUIRED, RDL_GUARD_IF_PERMITTED};
    size_t i;

    fleet_guarded(SERVERS, guards[_i], NOW);
    for (i = 0; i < 2; i++) {
        rdl_conn_init(&fleet.s[i].conn, &fleet.s[i].cfg);
        memset(&fleet.s[i].session, 0, sizeof fleet.s[i].session);
        sim_server_restart(&fleet.s[i].model, 7, NOW, 0);
        scripted_open(&fleet.s[i], NOW);
    }
    ck_assert_int_lt(acquire(lock), 0);
    ck_assert_uint_eq(fleet_keys(NOW), 0);
    ck_assert_int_eq(rdl_redlock_error(lock, 0), RDL_E_CONFIG);
    ck_assert_uint_eq(rdl_redlock_counts_at(lock, 0), UINT64_MAX);
}
END_TEST

Suite *suite_misuse(void)
{
    Suite *suite = suite_create("misuse");
    TCase *tc = suite_case(suite, "copies", NULL, NULL);

    tcase_add_loop_test(tc, copy_of_a_held_redlock_holds_nothing, 0, 2);
    tcase_add_test(tc, copy_of_a_pending_redlock_takes_no_votes);
    tcase_add_loop_test(tc, of_two_idle_copies_only_the_first_used_works, 0, 2);
    tcase_add_loop_test(tc, failed_release_is_repeated_by_one_copy_only, 0, 2);
    tcase_add_test(tc, every_acquire_ends_the_use_of_the_copies);
    tcase_add_loop_test(tc, copy_of_an_unused_lock_is_another_lock, 0, MODES);
    tcase_add_loop_test(tc, copy_of_a_held_lock_has_no_remaining_time, 0, MODES);
    tc = suite_case(suite, "connections", NULL, NULL);
    tcase_add_loop_test(tc, lock_works_on_a_connection_that_was_made_again, 0, MODES);
    tcase_add_loop_test(tc, connection_made_again_under_a_guard_does_not_count, 0, 3);
    tc = suite_case(suite, "assertions", NULL, NULL);
    tcase_set_tags(tc, "assertions");
    tcase_add_loop_test_raise_signal(tc, use_of_a_copy_of_a_held_lock_aborts, SIGABRT, 0,
                                     MODES * (int)(sizeof uses / sizeof uses[0]));
    tcase_add_test_raise_signal(tc, use_of_a_copy_of_an_adopted_lock_aborts, SIGABRT);
    tcase_add_loop_test_raise_signal(tc, step_of_a_copy_of_a_pending_lock_aborts, SIGABRT, 0, MODES);
    tcase_add_loop_test_raise_signal(tc, connection_made_again_under_an_operation_aborts, SIGABRT, 0, MODES);
    tcase_add_test_raise_signal(tc, connection_made_again_under_an_extend_aborts, SIGABRT);
    return suite;
}
