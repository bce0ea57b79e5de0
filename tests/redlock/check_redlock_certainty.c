/* SPDX-License-Identifier: MIT */
/*
 * check_redlock_certainty.c - extending and releasing on N servers, and how certain their keys are.
 * Rule R29.
 */
#include <string.h>

#include "lock/lock_commands.h"
#include "tests/fixtures/fleet.h"
#include "tests/suite.h"

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

/* The restart guards of all clients rely on no key living longer. */
START_TEST(no_lease_is_longer_than_max_ttl)
{
    hold(3);
    fleet.opt.lease.ttl_ms = FLEET_TTL / 2;
    ck_assert_int_eq(rdl_redlock_extend_begin(lock, FLEET_TTL + 1, 2000), RDL_E_TTL);
    ck_assert_uint_eq(rdl_redlock_until_ms(lock), END);
    fleet.opt.max_ttl_ms = FLEET_TTL / 2 - 1;
    ck_assert_int_eq(rdl_redlock_release_begin(lock, 2000), RDL_PENDING);
    rdl_redlock_cancel(lock);
    ck_assert_int_eq(fleet_acquire(2000), RDL_E_TTL);
}
END_TEST

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
    {".", RDL_OK},           {"s", RDL_LOST},        {"g", RDL_LOST},           {"f", RDL_UNKNOWN},
    {"d", RDL_UNKNOWN},      {"..", RDL_OK},         {".g", RDL_LOST},          {".f", RDL_UNKNOWN},
    {"...", RDL_OK},         {"..s", RDL_OK},        {".ss", RDL_LOST},         {".sg", RDL_LOST},
    {".sf", RDL_UNKNOWN},    {".ff", RDL_UNKNOWN},   {".ee", RDL_UNKNOWN},      {".se", RDL_UNKNOWN},
    {"..fe", RDL_UNKNOWN},   {"..gg", RDL_LOST},     {"...g", RDL_REPAIRED},    {"...ff", RDL_OK},
    {"...sg", RDL_REPAIRED}, {"..sgf", RDL_UNKNOWN}, {"..sgs", RDL_LOST},       {"...dd", RDL_OK},
    {"..ddd", RDL_UNKNOWN},  {"ffsgs", RDL_LOST},    {"....gfd", RDL_REPAIRED}, {"...gggg", RDL_LOST},
};

START_TEST(extend_needs_a_majority_that_still_has_the_key)
{
    const char *fates = extends[_i].fates;
    uint64_t now = 4000;
    int rc;

    hold(strlen(fates));
    fleet_befall(fates, now);
    rc = fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now);
    ck_assert_int_eq(rc, extends[_i].result);
    ck_assert_uint_le(now, 4000 + FLEET_ATTEMPT);
    ck_assert_uint_eq(rdl_redlock_until_ms(lock), rc >= RDL_OK     ? 4000 + FLEET_TTL - FLEET_DRIFT
                                                  : rc == RDL_LOST ? 0
                                                                   : END);
    if (rc != RDL_LOST)
        return;
    fleet_mend(now);
    ck_assert_uint_eq(fleet_keys(now), stolen(fates));
}
END_TEST

START_TEST(extend_after_the_end_is_lost_and_releases_all)
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

START_TEST(extend_ends_with_the_lease)
{
    uint64_t now = END - 10;

    hold(3);
    fleet_befall("fff", now);
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_LOST);
    ck_assert_uint_eq(now, END);
}
END_TEST

START_TEST(extend_of_a_minority_does_not_prolong_the_lease)
{
    uint64_t now = 4000;

    hold(3);
    fleet_befall(".ff", now);
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_UNKNOWN);
    fleet.mood[1] = fleet.mood[2] = MOOD_UP;
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
    ck_assert_uint_eq(rdl_redlock_until_ms(lock), END);
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_OK);
}
END_TEST

/* By a script and by a transaction. */
static void extend_without(int no_scripts)
{
    static struct sim_features features;
    size_t i;

    features = *fleet.s[0].model.features;
    features.no_scripts = no_scripts > 0;
    for (i = 0; i < fleet.n; i++)
        fleet.s[i].model.features = &features;
}

static void answer_late(uint64_t now)
{
    int i;

    fleet.mood[0] = fleet.mood[1] = fleet.mood[2] = MOOD_UP;
    for (i = 0; i < 8; i++) { /* as many methods as are tried, and their steps */
        fleet_serve_all(now);
        rdl_redlock_step(lock, now);
    }
}

/* A lease of 10 s, extended by 2 s; the replies are lost. */
START_TEST(unanswered_short_extend_keeps_the_longer_lease)
{
    uint64_t now = 1100;

    hold(3);
    extend_without(_i);
    fleet_befall("fff", now);
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, 2000, now), &now), RDL_UNKNOWN);
    ck_assert_uint_eq(rdl_redlock_until_ms(lock), END);
    answer_late(now);
    ck_assert_uint_eq(rdl_redlock_until_ms(lock), END);
    ck_assert_uint_eq(fleet_keys(END - 1), 3);
}
END_TEST

/* The same, and it reaches the servers together with the next extend, which is long. */
START_TEST(late_extend_does_not_shorten_the_next)
{
    uint64_t now = 1100;
    uint64_t until;

    hold(3);
    extend_without(_i);
    fleet_befall("fff", now);
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, 2000, now), &now), RDL_UNKNOWN);
    now += 3000;
    ck_assert_int_eq(rdl_redlock_extend_begin(lock, FLEET_TTL, now), RDL_PENDING);
    until = now + FLEET_TTL - FLEET_DRIFT;
    fleet.mood[0] = fleet.mood[1] = fleet.mood[2] = MOOD_UP;
    ck_assert_int_eq(fleet_run(RDL_PENDING, &now), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_until_ms(lock), until);
    answer_late(now);
    ck_assert_uint_eq(fleet_keys(until - 1), 3);
}
END_TEST

static const struct {
    const char *fates;
    int result;
} releases[] = {
    {".", RDL_OK},          {"g", RDL_EXPIRED},  {"s", RDL_LOST},       {"f", RDL_UNKNOWN},
    {"e", RDL_UNKNOWN},     {"...", RDL_OK},     {"..g", RDL_OK},       {"..f", RDL_OK},
    {".gg", RDL_EXPIRED},   {".ss", RDL_LOST},   {".gs", RDL_EXPIRED},  {".gf", RDL_OK},
    {".ff", RDL_UNKNOWN},   {"...ff", RDL_OK},   {"...dd", RDL_OK},     {"..dfe", RDL_UNKNOWN},
    {"..ggg", RDL_EXPIRED}, {"ggsss", RDL_LOST}, {"....", RDL_OK},      {"...s", RDL_OK},
    {".s", RDL_EXPIRED},    {"ss", RDL_LOST},    {"..ss", RDL_EXPIRED}, /* half is no majority */
    {".sss", RDL_LOST},
};

START_TEST(release_has_the_result_of_a_majority)
{
    const char *fates = releases[_i].fates;
    uint64_t now = 4000;

    hold(strlen(fates));
    fleet_befall(fates, now);
    ck_assert_int_eq(fleet_run(rdl_redlock_release_begin(lock, now), &now), releases[_i].result);
    ck_assert_uint_le(now, 4000 + FLEET_ATTEMPT);
    ck_assert_uint_eq(rdl_redlock_remaining_ms(lock, now), 0);
    if (strchr(fates, 'e') != NULL)
        return; /* refused there: the ttl ends it */
    if (strchr(fates, 'f') != NULL || strchr(fates, 'd') != NULL)
        ck_assert(!rdl_redlock_is_idle(lock));
    fleet_mend(now);
    ck_assert_uint_eq(fleet_keys(now), stolen(fates));
    ck_assert(rdl_redlock_is_idle(lock));
}
END_TEST

/* One is down, another client holds two: no majority; the other two decide whether it is lost. */
START_TEST(unconfirmed_extend_waits_to_see_if_it_is_lost)
{
    char line[64];
    size_t i;

    hold(5);
    fleet_down(0);
    for (i = 1; i < (_i ? 4 : 3); i++)
        fleet_steal(i, 4000);
    if (!_i)
        fleet.mood[3] = fleet.mood[4] = MOOD_FROZEN;
    ck_assert_int_eq(rdl_redlock_extend_begin(lock, FLEET_TTL, 4000), RDL_PENDING);
    for (i = 0; i < 30; i++)
        fleet_serve(i % 3, 4000);
    ck_assert_int_eq(rdl_redlock_step(lock, 4000), RDL_PENDING);
    for (i = 0; i < 30; i++)
        fleet_serve(1 + i % 4, 4001);
    ck_assert_int_eq(rdl_redlock_step(lock, 4001), _i ? RDL_LOST : RDL_PENDING);
    ck_assert_int_eq(rdl_redlock_step(lock, 4000 + FLEET_ATTEMPT), _i ? RDL_LOST : RDL_UNKNOWN);
    rdl_redlock_report(lock, 1, 4001, line, sizeof line);
    ck_assert_str_eq(line, "held by another client");
    ck_assert_int_eq(fleet.servers[1].value, -2);
}
END_TEST

/* Held on three of five, the only ones that were up. Two release it, and the third stalls now. */
START_TEST(server_without_the_key_counts_as_released)
{
    uint64_t now = 1000;
    size_t i;

    fleet_init(5, now);
    fleet_down(3);
    if (_i)
        fleet_steal(4, now);
    else
        fleet_down(4);
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    fleet.mood[2] = MOOD_FROZEN;
    now = 4000;
    ck_assert_int_eq(fleet_run(rdl_redlock_release_begin(lock, now), &now), RDL_OK); /* of four of them */
    for (i = 0; i < 2; i++)
        ck_assert(!scripted_has_key(&fleet.s[i], "k", now));
}
END_TEST

/*
 * Two of three replied to the acquire; one of these loses the key. Only the third knows whether it was lost.
 */
START_TEST(release_waits_for_a_server_with_an_unknown_grant)
{
    uint64_t now = 1000;

    fleet_init(3, now);
    if (_i)
        fleet_steal(2, now);
    fleet.mood[2] = MOOD_FROZEN;
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    fleet.mood[2] = MOOD_UP;
    fleet_delete(1, now);
    now = 1100;
    ck_assert_int_eq(rdl_redlock_release_begin(lock, now), RDL_PENDING);
    fleet_serve(0, now);
    fleet_serve(1, now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), RDL_PENDING);
    fleet_serve(2, now);
    ck_assert_int_eq(rdl_redlock_step(lock, now), _i ? RDL_EXPIRED : RDL_OK);
}
END_TEST

/*
 * Held on three of five; only one of them replies: the third may have it, and then no other client has a
 * majority.
 */
START_TEST(server_with_an_unknown_grant_is_not_released)
{
    uint64_t now = 1000;

    fleet_init(5, now);
    fleet_down(4);
    fleet.mood[3] = MOOD_FROZEN; /* its SET was sent */
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    fleet.mood[1] = fleet.mood[2] = MOOD_FROZEN;
    now = 4000;
    ck_assert_int_eq(fleet_run(rdl_redlock_release_begin(lock, now), &now), RDL_UNKNOWN);
}
END_TEST

/*
 * Two of three lost it in a restart that we saw before the release, or when it was sent. Their replies are
 * cut off: no release.
 */
START_TEST(key_lost_in_a_restart_was_not_released_by_us)
{
    uint64_t now = 4000;
    size_t i;
    int rc;

    hold(3);
    for (i = 0; i < 2 && _i == 0; i++)
        fleet_restart(i, 2000);
    rc = rdl_redlock_release_begin(lock, now);
    for (i = 0; i < 2; i++) {
        scripted_serve_mute(&fleet.s[i], now);
        if (_i == 0)
            scripted_break(&fleet.s[i]);
        else
            fleet_restart(i, now);
    }
    fleet.mood[2] = MOOD_FROZEN;
    ck_assert_int_eq(fleet_run(rc, &now), RDL_EXPIRED);
}
END_TEST

/*
 * One has lost it, and another reported earlier that it no longer had it; that it is cut off now changes
 * nothing.
 */
START_TEST(key_known_to_be_gone_was_not_released_by_us)
{
    uint64_t now = 4000;
    int rc;

    hold(3);
    fleet_steal(2, now);
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_OK);
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
    fleet_delete(1, now);
    rc = rdl_redlock_release_begin(lock, now);
    scripted_serve_mute(&fleet.s[2], now);
    scripted_break(&fleet.s[2]);
    ck_assert_int_eq(fleet_run(rc, &now), RDL_EXPIRED);
}
END_TEST

/*
 * The last extend did not reach the third server, so the key there has the ttl of the acquire at 1000. The
 * first server has lost it. We release on one, and on the third if its key is still there.
 */
START_TEST(expired_key_was_not_released_by_us)
{
    static const struct {
        uint32_t ttl_ms; /* of the extend */
        uint64_t back_ms;
        int result;
    } rows[] = {{FLEET_TTL, 1000 + FLEET_TTL, RDL_EXPIRED},
                {FLEET_TTL, 1000 + FLEET_TTL - 1, RDL_OK},
                {FLEET_TTL - 7000, 8000, RDL_OK}};
    uint64_t now = 8000;
    int rc;

    hold(3);
    fleet_down(2);
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, rows[_i].ttl_ms, now), &now), RDL_OK);
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
    fleet_up(2);
    now = rows[_i].back_ms;
    fleet_connect(2, now);
    fleet_delete(0, now);
    rc = rdl_redlock_release_begin(lock, now);
    scripted_serve_mute(&fleet.s[2], now);
    scripted_break(&fleet.s[2]);
    ck_assert_int_eq(fleet_run(rc, &now), rows[_i].result);
}
END_TEST

/* But in the run that granted it last, no other client ended it: an extend found it there. */
START_TEST(run_confirmed_by_an_extend_is_the_same_run)
{
    uint64_t now = 4000;
    size_t i;
    int rc;

    hold(3);
    for (i = 0; i < 2; i++) { /* with its data */
        struct sim_disk disk;
        sim_server_save(&fleet.s[i].model, &disk);
        fleet_restart(i, 2000);
        sim_server_load(&fleet.s[i].model, &disk);
    }
    now = 3000;
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_OK);
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
    now = 4000;
    rc = rdl_redlock_release_begin(lock, now);
    for (i = 0; i < 2; i++) {
        scripted_serve_mute(&fleet.s[i], now);
        scripted_break(&fleet.s[i]);
    }
    fleet.mood[2] = MOOD_FROZEN;
    ck_assert_int_eq(fleet_run(rc, &now), RDL_OK);
}
END_TEST

/*
 * If INFO is refused the run is unknown. Two of three were killed, are back without their data, and grant the
 * lock to another client; or they released it before the cut. That is neither a release nor a loss.
 */
START_TEST(repeated_release_is_unknown_if_the_run_is_unknown)
{
    static const struct sim_features no_info = {.version = "7.0.15", .denied = " info "};
    uint64_t now = 1000;
    char line[128];
    size_t i;
    int rc;

    fleet_init(3, now);
    for (i = 0; i < 3; i++) {
        fleet_down(i);
        sim_server_start(&fleet.s[i].model, &no_info, 100 + i, now);
        fleet_connect(i, now);
    }
    ck_assert_int_eq(fleet_run(fleet_acquire(now), &now), RDL_OK);
    fleet_serve_all(now);
    rdl_redlock_step(lock, now);
    now = 4000;
    for (i = 0; i < 2 && _i; i++) {
        sim_server_start(&fleet.s[i].model, &no_info, 200 + i, now);
        fleet_steal(i, now);
    }
    rc = rdl_redlock_release_begin(lock, now);
    for (i = 0; i < 2; i++) {
        scripted_serve_mute(&fleet.s[i], now);
        scripted_break(&fleet.s[i]);
    }
    ck_assert_int_eq(fleet_run(rc, &now), RDL_UNKNOWN);
    ck_assert_uint_eq(rdl_redlock_count(lock, RDL_VOTE_UNKNOWN), 2);
    rdl_redlock_report(lock, 0, now, line, sizeof line);
    ck_assert_str_eq(line, "no reply: the connection was closed before the reply");
    ck_assert(rdl_redlock_is_idle(lock)); /* nothing stays pending */
}
END_TEST

START_TEST(release_result_needs_replies_of_a_majority)
{
    size_t i;

    hold(5);
    for (i = 0; i < 3; i++)
        fleet_delete(i, 4000);
    ck_assert_int_eq(rdl_redlock_release_begin(lock, 4000), RDL_PENDING);
    for (i = 4; i != 1;
         i--) { /* two released, one no longer had it: gone from a majority, but was it ours? */
        int replies;
        for (replies = 0; replies < 5; replies++)
            fleet_serve(i, 4000);
        ck_assert_int_eq(rdl_redlock_step(lock, 4000), RDL_PENDING);
    }
    fleet_serve_all(4001);
    ck_assert_int_eq(rdl_redlock_step(lock, 4001), RDL_EXPIRED);
}
END_TEST

START_TEST(redlock_release_is_pending_until_the_keys_expire)
{
    uint64_t at = 1000 + FLEET_TTL + (uint64_t)_i;
    struct scripted *s = &fleet.s[0];

    hold(1);
    ck_assert_int_eq(rdl_redlock_release_begin(lock, 9000), RDL_PENDING);
    fleet_down(0);
    ck_assert_int_eq(rdl_redlock_step(lock, 9000 + FLEET_ATTEMPT), RDL_UNKNOWN);
    rdl_conn_closed(&s->conn, RDL_E_CONNECT);
    rdl_redlock_step(lock, at); /* the pause is over */
    scripted_sent(s);
    rdl_conn_opened(&s->conn);
    scripted_serve(s, at); /* the connection checks */
    ck_assert_int_eq(rdl_conn_state(&s->conn), RDL_CONN_READY);
    ck_assert_int_eq(strstr(scripted_sent(s), rdl_script_release.text) == NULL, _i);
}
END_TEST

/* The expiry of an adopted key is unknown; that of our own is known, also if both had the same handle. */
START_TEST(release_after_an_adopted_lease_ends_with_its_own_keys)
{
    uint64_t at = 1000;

    fleet_init(1, at);
    ck_assert_int_eq(rdl_redlock_adopt(lock, token_hex(7), RDL_VALUE_MAX), RDL_OK);
    ck_assert_int_eq(fleet_run(rdl_redlock_release_begin(lock, at), &at), RDL_EXPIRED);
    ck_assert_int_eq(fleet_run(fleet_acquire(at), &at), RDL_OK);
    ck_assert_uint_eq(at, 1000);
    ck_assert_int_eq(rdl_redlock_release_begin(lock, at), RDL_PENDING);
    fleet_down(0);
    rdl_redlock_step(lock, at + FLEET_ATTEMPT);
    rdl_conn_closed(&fleet.s[0].conn, RDL_E_CONNECT);
    ck_assert(!rdl_redlock_is_idle(lock));
    rdl_redlock_step(lock, at + FLEET_TTL + 1);
    ck_assert(rdl_redlock_is_idle(lock));
}
END_TEST

START_TEST(adopt_clears_the_votes_of_the_earlier_lease)
{
    uint64_t at = 1000;

    fleet_init(3, at);
    ck_assert_int_eq(fleet_run(fleet_acquire(at), &at), RDL_OK);
    ck_assert_uint_ge(rdl_redlock_count(lock, RDL_VOTE_GRANTED), 2);
    ck_assert_int_eq(rdl_redlock_adopt(lock, token_hex(7), RDL_VALUE_MAX), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_count(lock, RDL_VOTE_NONE), 3);
}
END_TEST

START_TEST(extend_during_an_unanswered_one_works)
{
    uint64_t now = 4000;

    hold(3);
    fleet_befall(".ff", now);
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_UNKNOWN);
    ck_assert_int_eq(fleet_run(rdl_redlock_extend_begin(lock, FLEET_TTL, now), &now), RDL_UNKNOWN);
    now += 100; /* the pause after the failed connect */
    ck_assert_int_eq(rdl_redlock_extend_begin(lock, FLEET_TTL, now), RDL_PENDING);
    fleet.mood[1] = fleet.mood[2] = MOOD_UP;
    ck_assert_int_eq(fleet_run(RDL_PENDING, &now), RDL_OK);
    ck_assert_uint_eq(rdl_redlock_until_ms(lock), now + FLEET_TTL - FLEET_DRIFT);
}
END_TEST

Suite *suite_redlock_certainty(void)
{
    Suite *suite = suite_create("redlock_certainty");
    TCase *tc = suite_case(suite, "certainty", NULL, NULL);

    tcase_add_test(tc, no_lease_is_longer_than_max_ttl);
    tcase_add_loop_test(tc, extend_needs_a_majority_that_still_has_the_key, 0,
                        sizeof extends / sizeof extends[0]);
    tcase_add_test(tc, extend_after_the_end_is_lost_and_releases_all);
    tcase_add_test(tc, extend_ends_with_the_lease);
    tcase_add_loop_test(tc, unanswered_short_extend_keeps_the_longer_lease, 0, 2);
    tcase_add_loop_test(tc, late_extend_does_not_shorten_the_next, 0, 2);
    tcase_add_test(tc, extend_of_a_minority_does_not_prolong_the_lease);
    tcase_add_loop_test(tc, release_has_the_result_of_a_majority, 0, sizeof releases / sizeof releases[0]);
    tcase_add_loop_test(tc, unconfirmed_extend_waits_to_see_if_it_is_lost, 0, 2);
    tcase_add_loop_test(tc, server_without_the_key_counts_as_released, 0, 2);
    tcase_add_loop_test(tc, release_waits_for_a_server_with_an_unknown_grant, 0, 2);
    tcase_add_test(tc, server_with_an_unknown_grant_is_not_released);
    tcase_add_loop_test(tc, key_lost_in_a_restart_was_not_released_by_us, 0, 2);
    tcase_add_test(tc, key_known_to_be_gone_was_not_released_by_us);
    tcase_add_loop_test(tc, expired_key_was_not_released_by_us, 0, 3);
    tcase_add_test(tc, run_confirmed_by_an_extend_is_the_same_run);
    tcase_add_loop_test(tc, repeated_release_is_unknown_if_the_run_is_unknown, 0, 2);
    tcase_add_test(tc, release_result_needs_replies_of_a_majority);
    tcase_add_test(tc, release_after_an_adopted_lease_ends_with_its_own_keys);
    tcase_add_test(tc, adopt_clears_the_votes_of_the_earlier_lease);
    tcase_add_loop_test(tc, redlock_release_is_pending_until_the_keys_expire, 0, 2);
    tcase_add_test(tc, extend_during_an_unanswered_one_works);
    return suite;
}
