/* SPDX-License-Identifier: MIT */
/* Who is asked first when others want the lock too, and that nobody has a veto. */
#include <check.h>
#include <string.h>

#include "tests/fixtures/fleet.h"

#define lock (&fleet.lock)

static uint64_t now;

static void patient(size_t n)
{
    now = 1000;
    fleet_init(n, now);
    fleet.opt.lease.wait_ms = 20000;
    fleet.opt.lease.retry_ms = 50;
}

/* As a string, which servers were sent a SET since the last look: "+....", say. */
static const char *asked(void)
{
    static char who[8];
    size_t i;

    for (i = 0; i < fleet.n; i++)
        who[i] = strstr(scripted_sent(&fleet.s[i]), "SET\r\n") != NULL ? '+' : '.';
    who[i] = '\0';
    return who;
}

/* Everybody serves until the attempt has failed; then on to the next. */
static void next_attempt(void)
{
    int i;

    for (i = 0; i < 3; i++) {
        fleet_serve_all(now);
        ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    }
    for (i = 0; i < (int)fleet.n; i++)
        scripted_sent(&fleet.s[i]);
    now = rdl_redlock_wake_ms(lock);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
}

static void steal_all(void)
{
    size_t i;

    for (i = 0; i < fleet.n; i++)
        fleet_command(i, "SET k other PX 15000\r\n", now);
}

START_TEST(the_first_attempt_asks_all_and_after_a_refusal_one_by_turns)
{
    patient(5);
    steal_all();
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    ck_assert_str_eq(asked(), "+++++");
    next_attempt();
    ck_assert_str_eq(asked(), "+....");
    next_attempt();
    ck_assert_str_eq(asked(), "+++++");
    next_attempt();
    ck_assert_str_eq(asked(), "+....");
}
END_TEST

START_TEST(the_others_are_asked_when_the_pilot_has_granted)
{
    size_t i;

    patient(5);
    steal_all();
    fleet_acquire(now);
    next_attempt();
    ck_assert_str_eq(asked(), "+....");
    for (i = 0; i < 5; i++)
        fleet_delete(i, now);
    fleet_serve_all(now);
    ck_assert_int_eq(rdl_redlock_step(lock, now + 200), RDL_PENDING);
    ck_assert_str_eq(asked(), ".++++");
    fleet_serve_all(now);
    ck_assert_int_eq(rdl_redlock_step(lock, now + 200 + FLEET_ATTEMPT - 1), RDL_OK); /* a time of their own */
    ck_assert_uint_eq(rdl_redlock_until_ms(lock),
                      now + FLEET_TTL - FLEET_DRIFT); /* from the probe server on */
}
END_TEST

static void key_on(size_t i, const char *command)
{
    fleet_command(i, command, now);
}

static const struct {
    const char *on_probe_server; /* what stands there, for ever */
    int is_frozen;
} vetoes[] = {
    {"SET k orphan PX 19000\r\n", 0},
    {"SET k foreign\r\n", 0},
    {"LPUSH k list\r\n", 0},
    {NULL, 1},
};

/* The first server says no as long as it can; everywhere else the key ends soon. */
START_TEST(no_single_server_can_lock_the_others_out)
{
    size_t i;

    patient(5);
    if (vetoes[_i].on_probe_server != NULL)
        key_on(0, vetoes[_i].on_probe_server);
    for (i = vetoes[_i].is_frozen ? 0 : 1; i < 5; i++)
        key_on(i, "SET k other PX 700\r\n");
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
    if (vetoes[_i].is_frozen)
        fleet.mood[0] = MOOD_FROZEN;
    ck_assert_int_eq(fleet_run(RDL_PENDING, &now), RDL_OK);
    ck_assert_uint_gt(now, 1700);
    ck_assert_uint_lt(now, 1700 + 2 * RDL_RETRY_CAP_MS + 2 * FLEET_ATTEMPT);
}
END_TEST

START_TEST(a_pilot_that_is_silent_or_has_no_end_is_not_asked_first_again)
{
    patient(5);
    steal_all();
    if (_i)
        key_on(0, "SET k foreign\r\n");
    fleet_acquire(now);
    next_attempt();
    ck_assert_str_eq(asked(), "+....");
    if (!_i) {
        fleet.mood[0] = MOOD_FROZEN;
        now += FLEET_ATTEMPT;
    }
    next_attempt();
    ck_assert_str_eq(asked(), _i ? "+++++" : ".++++"); /* it has not answered yet */
    if (!_i)
        now += FLEET_ATTEMPT;
    next_attempt();
    ck_assert_str_eq(asked(), ".+...");
}
END_TEST

START_TEST(a_pilot_is_connected_and_counts)
{
    size_t i;

    patient(3);
    fleet.opt.guard = RDL_GUARD_REQUIRED;
    for (i = 0; i < 3; i++)
        rdl_conn_tick(&fleet.s[i].conn, now);
    now = 1000 + FLEET_TTL + 1000;
    fleet.s[0].conn.cfg->server_info->up_ms = (int64_t)now; /* in quarantine */
    steal_all();
    fleet_acquire(now);
    ck_assert_str_eq(asked(), "+++");
    next_attempt();
    ck_assert_str_eq(asked(), ".+.");
}
END_TEST

/* Each of two holds it for ever: neither is any use as a probe server. */
START_TEST(where_nobody_is_left_to_be_the_pilot_all_are_asked)
{
    int i;

    patient(2);
    key_on(0, "SET k foreign\r\n");
    key_on(1, "SET k foreign\r\n");
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    next_attempt();
    ck_assert_str_eq(asked(), "+.");
    next_attempt();
    ck_assert_str_eq(asked(), "++");
    next_attempt();
    ck_assert_str_eq(asked(), ".+");
    for (i = 0; i < 4; i++) {
        next_attempt();
        ck_assert_str_eq(asked(), "++");
    }
}
END_TEST

/* Hours of it: the pauses stay as long as they have become. */
START_TEST(who_is_refused_for_ever_does_not_begin_to_hurry)
{
    uint64_t begun;
    int i;

    patient(3);
    fleet.opt.lease.wait_ms = 3600000;
    fleet.opt.lease.retry_ms = 1;
    for (i = 0; i < 3; i++)
        key_on((size_t)i, "SET k foreign\r\n");
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    for (i = 0; i < 300; i++)
        next_attempt();
    begun = now;
    for (i = 0; i < 20; i++)
        next_attempt();
    ck_assert_uint_gt(now - begun, 20 * RDL_RETRY_CAP_MS / 4); /* with full jitter a half, on average */
}
END_TEST

Suite *suite_redlock_pilot(void);

Suite *suite_redlock_pilot(void)
{
    Suite *suite = suite_create("redlock_probe_server");
    TCase *tc = tcase_create("probe server");

    tcase_add_test(tc, the_first_attempt_asks_all_and_after_a_refusal_one_by_turns);
    tcase_add_test(tc, the_others_are_asked_when_the_pilot_has_granted);
    tcase_add_loop_test(tc, no_single_server_can_lock_the_others_out, 0, sizeof vetoes / sizeof vetoes[0]);
    tcase_add_loop_test(tc, a_pilot_that_is_silent_or_has_no_end_is_not_asked_first_again, 0, 2);
    tcase_add_test(tc, a_pilot_is_connected_and_counts);
    tcase_add_test(tc, where_nobody_is_left_to_be_the_pilot_all_are_asked);
    tcase_add_test(tc, who_is_refused_for_ever_does_not_begin_to_hurry);
    suite_add_tcase(suite, tc);
    return suite;
}
