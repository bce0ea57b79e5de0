/* SPDX-License-Identifier: MIT */
/* Extending, releasing, waiting and giving up on N servers. */
#include <check.h>
#include <string.h>

#include "tests/fleet.h"

#define lock (&fleet.lock)

enum { END = 1000 + FLEET_TTL - FLEET_DRIFT };

/* Held on all n servers since 1000. */
static void hold(size_t n)
{
    uint64_t now = 1000;

    fleet_init(n, 1000);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
    ck_assert(rdl_redlock_is_idle(lock));
    ck_assert_uint_eq(fleet_keys(now), n);
}

/* What befalls each server before the operation: . nothing, f frozen, d down, s stolen, g gone, e error */
static void befall(const char *fates, uint64_t now)
{
    size_t i;

    for (i = 0; fates[i] != '\0'; i++) {
        if (fates[i] == 'f')
            fleet.mood[i] = MOOD_FROZEN;
        else if (fates[i] == 'd')
            fleet_down(i);
        else if (fates[i] == 's')
            fleet_steal(i, now);
        else if (fates[i] == 'g')
            fleet_delete(i, now);
        else if (fates[i] == 'e')
            fleet.s[i].model.busy = 1;
    }
}

static void mend(uint64_t now)
{
    size_t i;

    for (i = 0; i < fleet.n; i++) {
        fleet.mood[i] = MOOD_UP;
        fleet.s[i].model.busy = 0;
    }
    for (i = 0; i < 3; i++) { /* pauses, connections, releases */
        rdl_redlock_step(lock, now + 3000 * i);
        fleet_serve_all(now + 3000 * i);
    }
}

static unsigned stolen(const char *fates)
{
    unsigned n = 0;

    for (; *fates != '\0'; fates++)
        n += *fates == 's';
    return n;
}

static const struct {
    const char *fates;
    int result;
} extends[] = {
    {".", RDL_OK},          {"s", RDL_LOST},        {"g", RDL_LOST},      {"f", RDL_UNKNOWN},
    {"d", RDL_UNKNOWN},     {"..", RDL_OK},         {".g", RDL_LOST},     {".f", RDL_UNKNOWN},
    {"...", RDL_OK},        {"..s", RDL_OK},        {".ss", RDL_LOST},    {".sg", RDL_LOST},
    {".sf", RDL_UNKNOWN},   {".ff", RDL_UNKNOWN},   {".ee", RDL_UNKNOWN}, {".se", RDL_UNKNOWN},
    {"..fe", RDL_UNKNOWN},  {"..gg", RDL_LOST},     {"...g", RDL_OK},     {"...ff", RDL_OK},
    {"...sg", RDL_OK},      {"..sgf", RDL_UNKNOWN}, {"..sgs", RDL_LOST},  {"...dd", RDL_OK},
    {"..ddd", RDL_UNKNOWN}, {"ffsgs", RDL_LOST},    {"....gfd", RDL_OK},  {"...gggg", RDL_LOST},
};

START_TEST(extend_needs_a_majority_that_has_it_still)
{
    const char *fates = extends[_i].fates;
    uint64_t now = 4000;
    int rc;

    hold(strlen(fates));
    befall(fates, now);
    rc = fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now);
    ck_assert_int_eq(rc, extends[_i].result);
    ck_assert_uint_le(now, 4000 + FLEET_ATTEMPT);
    ck_assert_uint_eq(rdl_redlock_until_ms(lock), rc == RDL_OK     ? 4000 + FLEET_TTL - FLEET_DRIFT
                                                  : rc == RDL_LOST ? 0
                                                                   : END);
    if (rc != RDL_LOST)
        return;
    mend(now);
    ck_assert_uint_eq(fleet_keys(now), stolen(fates));
}
END_TEST

START_TEST(an_extend_after_the_end_is_lost_and_everything_is_released)
{
    uint64_t now = END;

    hold(5);
    fleet.mood[4] = MOOD_FROZEN;
    ck_assert_int_eq(rdl_redlock_extend_begin(lock, FLEET_TTL, now), RDL_LOST);
    fleet.mood[4] = MOOD_UP;
    fleet_serve_all(now);
    ck_assert_uint_eq(fleet_keys(now), 0);
}
END_TEST

START_TEST(an_extend_answered_after_the_end_is_lost)
{
    hold(3);
    ck_assert_int_eq(rdl_redlock_extend_begin(lock, FLEET_TTL, END - 1), RDL_PENDING);
    fleet_serve_all(END - 1);
    ck_assert_int_eq(rdl_redlock_step(lock, END), RDL_LOST);
    ck_assert_uint_eq(rdl_redlock_remaining_ms(lock, END - 1), 0);
    fleet_serve_all(END);
    ck_assert_uint_eq(fleet_keys(END), 0);
}
END_TEST

START_TEST(an_extend_waits_no_longer_than_the_lease_lasts)
{
    uint64_t now = END - 10;

    hold(3);
    befall("fff", now);
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_LOST);
    ck_assert_uint_eq(now, END);
}
END_TEST

START_TEST(extend_never_shortens)
{
    uint64_t now = 1100;

    hold(3);
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, 2000, now), &now), RDL_OK);
    ck_assert_uint_ge(rdl_redlock_until_ms(lock), END);
    ck_assert_int_eq(rdl_redlock_extend_begin(lock, 0, now), RDL_E_TTL);
    ck_assert_uint_ge(rdl_redlock_until_ms(lock), END);
}
END_TEST

START_TEST(an_extend_that_some_heard_never_makes_us_believe_more)
{
    uint64_t now = 4000;

    hold(3);
    befall(".ff", now);
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_UNKNOWN);
    fleet.mood[1] = fleet.mood[2] = MOOD_UP;
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
    ck_assert_uint_eq(rdl_redlock_until_ms(lock), END);
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_OK);
}
END_TEST

static const struct {
    const char *fates;
    int result;
} releases[] = {
    {".", RDL_OK},          {"g", RDL_EXPIRED},  {"s", RDL_LOST},      {"f", RDL_UNKNOWN},
    {"e", RDL_UNKNOWN},     {"...", RDL_OK},     {"..g", RDL_OK},      {"..f", RDL_OK},
    {".gg", RDL_EXPIRED},   {".ss", RDL_LOST},   {".gs", RDL_EXPIRED}, {".gf", RDL_OK},
    {".ff", RDL_UNKNOWN},   {"...ff", RDL_OK},   {"...dd", RDL_OK},    {"..dfe", RDL_UNKNOWN},
    {"..ggg", RDL_EXPIRED}, {"ggsss", RDL_LOST}, {"....", RDL_OK},
};

START_TEST(release_tells_what_a_majority_said)
{
    const char *fates = releases[_i].fates;
    uint64_t now = 4000;

    hold(strlen(fates));
    befall(fates, now);
    ck_assert_int_eq(fleet_run(rdl_redlock_release_begin(lock, now), &now), releases[_i].result);
    ck_assert_uint_le(now, 4000 + FLEET_ATTEMPT);
    ck_assert_uint_eq(rdl_redlock_remaining_ms(lock, now), 0);
    if (strchr(fates, 'e') != NULL)
        return; /* refused there: the ttl ends it */
    if (strchr(fates, 'f') != NULL || strchr(fates, 'd') != NULL)
        ck_assert(!rdl_redlock_is_idle(lock));
    mend(now);
    ck_assert_uint_eq(fleet_keys(now), stolen(fates));
    ck_assert(rdl_redlock_is_idle(lock));
}
END_TEST

START_TEST(what_is_not_held_is_not_released)
{
    fleet_init(3, 1000);
    ck_assert_int_eq(rdl_redlock_release_begin(lock, 1000), RDL_EXPIRED);
    ck_assert(rdl_redlock_is_idle(lock));
}
END_TEST

START_TEST(a_lease_that_ran_out_is_released_before_the_next_is_asked_for)
{
    uint64_t now = 1000 + 3 * FLEET_TTL;

    hold(3);
    fleet_command(0, "SET k 00112233445566778899aabbccddeeff00000001\r\n",
                  now); /* a server whose clock stood still */
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
    ck_assert_uint_eq(rdl_redlock_count(lock, RDL_VOTE_GRANTED), 3);
}
END_TEST

/* ---------------------------------------------------------------- waiting */

static void be_patient(void)
{
    fleet.opt.wait_ms = 5000;
    fleet.opt.retry_ms = 50;
}

START_TEST(a_busy_lock_is_waited_for_up_to_the_bound)
{
    uint64_t now = 1000;

    fleet_init(3, 1000);
    be_patient();
    fleet_command(0, "SET k other\r\n", 1000);
    fleet_command(1, "SET k other\r\n", 1000);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_BUSY);
    ck_assert_uint_eq(now, 6000);
    ck_assert_uint_gt(lock->token.bytes[RDL_TOKEN_LEN - 1], 8);
    mend(now);
    ck_assert_uint_eq(fleet_keys(now), 2);
}
END_TEST

START_TEST(a_lock_whose_holder_dies_is_taken_when_its_ttl_ends)
{
    uint64_t now = 1000;
    size_t i;

    fleet_init(5, 1000);
    be_patient();
    for (i = 0; i < 5; i++)
        fleet_command(i, "SET k other PX 1500\r\n", 1000);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    ck_assert_uint_gt(now, 2500);
    ck_assert_uint_le(now, 2502);
}
END_TEST

START_TEST(servers_that_are_down_are_waited_for_without_a_busy_loop)
{
    uint64_t now = 1000;
    size_t i;

    fleet_init(5, 1000);
    be_patient();
    for (i = 0; i < 3; i++)
        fleet_down(i);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_NO_QUORUM);
    ck_assert_uint_eq(now, 6000);
    ck_assert_uint_eq(fleet_keys(now), 0);
}
END_TEST

START_TEST(errors_for_good_on_a_majority_end_the_waiting)
{
    uint64_t now = 1000;
    size_t i;

    fleet_init(5, 1000);
    be_patient();
    for (i = 0; i < 3; i++) { /* their users were taken the right to anything */
        fleet.mood[i] = MOOD_FROZEN;
        scripted_reply(&fleet.s[i], "");
    }
    ck_assert_int_eq(fleet_acquire(now), RDL_PENDING);
    for (i = 0; i < 3; i++) {
        scripted_sent(&fleet.s[i]);
        scripted_reply(&fleet.s[i], _i ? "-NOPERM x\r\n-NOPERM x\r\n" : "-LOADING x\r\n-LOADING x\r\n");
    }
    ck_assert_int_eq(rdl_redlock_step(lock, now), _i ? RDL_NO_QUORUM : RDL_PENDING);
}
END_TEST

START_TEST(every_attempt_has_a_token_of_its_own)
{
    const char *sent;
    int attempts = 0;
    uint64_t now = 1000;
    int rc;

    fleet_init(2, 1000);
    be_patient();
    fleet_command(1, "SET k other\r\n", 1000);
    rc = fleet_acquire(now);
    while (attempts < 6 && rc == RDL_PENDING) { /* each released before the next is asked for */
        sent = scripted_sent(&fleet.s[0]);
        if (strstr(sent, "SET") != NULL) {
            attempts++;
            ck_assert_ptr_nonnull(strstr(sent, entropy_token((unsigned)attempts)));
        }
        fleet_serve_all(now);
        rc = rdl_redlock_step(lock, now);
        now = rdl_redlock_wake_ms(lock);
    }
    ck_assert_int_eq(attempts, 6);
}
END_TEST

/* ---------------------------------------------------------------- giving up */

START_TEST(cancel_leaves_no_key_behind_and_the_memory_free)
{
    const char *fates = _i % 2 ? "..fdf" : ".....";
    uint64_t now = 1000;
    size_t i;
    int place = _i / 2;

    fleet_init(5, 1000);
    befall(fates, now);
    be_patient();
    if (place == 5)
        fleet_steal(0, now), fleet_steal(1, now), fleet_steal(2, now);
    fleet_acquire(now);
    if (place >= 1)
        fleet_serve(0, now);
    if (place >= 2)
        rdl_redlock_step(lock, now);
    if (place >= 3) {
        fleet_serve_all(now);
        rdl_redlock_step(lock, now);
    }
    if (place == 4 && lock->until_ms != 0)
        rdl_redlock_extend_begin(lock, FLEET_TTL, now);
    if (place == 6 && lock->until_ms != 0)
        rdl_redlock_release_begin(lock, now);
    rdl_redlock_cancel(lock);
    ck_assert_uint_eq(rdl_redlock_remaining_ms(lock, now), 0);
    memset(lock, 0xee, sizeof *lock);
    memset(fleet.servers, 0xee, sizeof fleet.servers);
    for (i = 0; i < 5; i++) {
        fleet_up(i);
        now = 1500;
        if (rdl_conn_state(&fleet.s[i].conn) == RDL_CONN_CLOSED)
            rdl_conn_upkeep(&fleet.s[i].conn, rdl_conn_upkeep(&fleet.s[i].conn, now));
    }
    fleet_serve_all(now);
    ck_assert_uint_eq(fleet_keys(now), place == 5 ? 3 : 0);
}
END_TEST

Suite *suite_redlock_hold(void);

Suite *suite_redlock_hold(void)
{
    Suite *suite = suite_create("redlock_hold");
    TCase *tc = tcase_create("hold");

    tcase_add_loop_test(tc, extend_needs_a_majority_that_has_it_still, 0, sizeof extends / sizeof extends[0]);
    tcase_add_test(tc, an_extend_after_the_end_is_lost_and_everything_is_released);
    tcase_add_test(tc, an_extend_answered_after_the_end_is_lost);
    tcase_add_test(tc, an_extend_waits_no_longer_than_the_lease_lasts);
    tcase_add_test(tc, extend_never_shortens);
    tcase_add_test(tc, an_extend_that_some_heard_never_makes_us_believe_more);
    tcase_add_loop_test(tc, release_tells_what_a_majority_said, 0, sizeof releases / sizeof releases[0]);
    tcase_add_test(tc, what_is_not_held_is_not_released);
    tcase_add_test(tc, a_lease_that_ran_out_is_released_before_the_next_is_asked_for);
    tcase_add_test(tc, a_busy_lock_is_waited_for_up_to_the_bound);
    tcase_add_test(tc, a_lock_whose_holder_dies_is_taken_when_its_ttl_ends);
    tcase_add_test(tc, servers_that_are_down_are_waited_for_without_a_busy_loop);
    tcase_add_loop_test(tc, errors_for_good_on_a_majority_end_the_waiting, 0, 2);
    tcase_add_test(tc, every_attempt_has_a_token_of_its_own);
    tcase_add_loop_test(tc, cancel_leaves_no_key_behind_and_the_memory_free, 0, 14);
    suite_add_tcase(suite, tc);
    return suite;
}
