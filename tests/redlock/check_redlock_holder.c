/* SPDX-License-Identifier: MIT */
/* check_redlock_holder.c - what N servers say together: when a lock is free, who is in quarantine. */
#include <string.h>

#include "tests/fixtures/fleet.h"
#include "tests/suite.h"

enum { NOW = 1000 };

#define lock (&fleet.lock)

static const char *report(size_t i, uint64_t now_ms)
{
    static char line[128];

    rdl_redlock_report(lock, i, now_ms, line, sizeof line);
    return line;
}

static int acquire(void)
{
    uint64_t now = NOW;

    return fleet_run(fleet_acquire(now), &now);
}

/* e: a key without an expiry, s: for 5 s, l: for 58 days, .: none. */
static void befall_keys(const char *keys)
{
    for (size_t i = 0; keys[i] != '\0'; i++) {
        if (keys[i] == 'e')
            fleet_command(i, "SET k other\r\n", NOW);
        else if (keys[i] == 'l')
            fleet_command(i, "SET k other PX 5000000000\r\n", NOW);
        else if (keys[i] == 's')
            fleet_steal(i, NOW);
    }
}

static const struct {
    const char *keys;
    int64_t ms;
} holders[] = {{"ee.", -1},   {"eee", -1}, {"ss.", 5000}, {"sse", 5000},
               {"es.", 5000}, {"lll", -2}, {"ees", -1}};

START_TEST(the_holder_is_known_as_far_as_a_majority_tells)
{
    fleet_init(3, NOW);
    befall_keys(holders[_i].keys);
    ck_assert_int_eq(acquire(), RDL_BUSY);
    ck_assert_int_eq(rdl_redlock_holder_ms(lock), holders[_i].ms);
}
END_TEST

START_TEST(a_lock_that_is_not_busy_has_no_other_holder)
{
    fleet_init(3, NOW);
    ck_assert_int_eq(rdl_redlock_holder_ms(lock), -2);
    ck_assert_int_eq(acquire(), RDL_OK);
    ck_assert_int_eq(rdl_redlock_holder_ms(lock), -2);
}
END_TEST

START_TEST(a_confirmed_vote_of_a_server_in_quarantine_is_shown_as_such)
{
    fleet_guarded(3, RDL_GUARD_STRICT, NOW);
    fleet_restart(2, NOW);
    ck_assert_int_eq(acquire(), RDL_OK);
    fleet_serve_all(NOW);
    rdl_redlock_step(lock, NOW);
    ck_assert_ptr_nonnull(strstr(report(2, NOW), "restarted too recently to be used for another "));
    ck_assert_str_eq(strstr(report(2, NOW + 10 * FLEET_TTL), "restarted"),
                     "restarted too recently to be used"); /* its time is over */
    ck_assert_int_eq(rdl_redlock_release_begin(lock, NOW), RDL_PENDING);
    fleet_serve_all(NOW);
    ck_assert_int_eq(rdl_redlock_step(lock, NOW), RDL_OK);
    ck_assert_ptr_eq(strstr(report(2, NOW), "restarted"), NULL); /* a release may count */
}
END_TEST

START_TEST(without_server_info_nothing_is_said_about_eviction)
{
    fleet_init(1, NOW);
    fleet.s[0].cfg.server_info = NULL;
    rdl_conn_init(&fleet.s[0].conn, &fleet.s[0].cfg);
    ck_assert_int_eq(rdl_redlock_may_evict(lock, 0), 0);
}
END_TEST

START_TEST(a_guard_may_be_set_until_the_connection_is_open)
{
    struct scripted *s = &fleet.s[0];

    scripted_init(s);
    ck_assert_int_eq(rdl_guard_conn(&s->conn), RDL_OK);
    rdl_conn_init(&s->conn, &s->cfg);
    rdl_conn_tick(&s->conn, NOW);
    ck_assert_int_eq(rdl_conn_state(&s->conn), RDL_CONN_OPENING);
    ck_assert_int_eq(rdl_guard_conn(&s->conn), RDL_OK);
    rdl_conn_init(&s->conn, &s->cfg);
    scripted_open(s, NOW);
    ck_assert_int_eq(rdl_guard_conn(&s->conn), RDL_E_CONFIG);
}
END_TEST

START_TEST(only_the_canarys_own_name_is_reserved)
{
    char name[] = RDL_CANARY_KEY;

    fleet_init(1, NOW);
    ck_assert_int_eq(rdl_redlock_init(lock, &fleet.opt, fleet.servers, 1, name, strlen(name)), RDL_E_NAME);
    name[0] = 'X';
    ck_assert_int_eq(rdl_redlock_init(lock, &fleet.opt, fleet.servers, 1, name, strlen(name)), RDL_OK);
}
END_TEST

Suite *suite_redlock_holder(void)
{
    Suite *suite = suite_create("redlock_holder");
    TCase *tc = suite_case(suite, "holder", NULL, NULL);

    tcase_add_loop_test(tc, the_holder_is_known_as_far_as_a_majority_tells, 0,
                        sizeof holders / sizeof *holders);
    tcase_add_test(tc, a_lock_that_is_not_busy_has_no_other_holder);
    tcase_add_test(tc, a_confirmed_vote_of_a_server_in_quarantine_is_shown_as_such);
    tcase_add_test(tc, without_server_info_nothing_is_said_about_eviction);
    tcase_add_test(tc, a_guard_may_be_set_until_the_connection_is_open);
    tcase_add_test(tc, only_the_canarys_own_name_is_reserved);
    return suite;
}
