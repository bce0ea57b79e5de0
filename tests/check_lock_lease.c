/* SPDX-License-Identifier: MIT */
/* A lock that is held: extend and release, to the millisecond. */
#include <check.h>
#include <string.h>

#include "lock/lock.h"
#include "tests/scripted.h"

enum { TTL = 10000, DRIFT = 102, ATTEMPT = 250 };

static struct scripted s;
static struct rdl_lock l;
static struct rdl_options opt;

static void setup(void)
{
    const struct rdl_options once = {.ttl_ms = TTL};

    scripted_init(&s);
    scripted_open(&s, 1000);
    opt = once;
    rdl_lock_init(&l, &rdl_lock_px, &opt, &s.conn, "k", 1);
}

static int acquire(uint64_t now_ms)
{
    return rdl_lock_acquire_begin(&l, entropy_bytes(), now_ms);
}

/* Held since t1, its SET and PTTL answered. */
static void hold(uint64_t t1_ms)
{
    ck_assert_int_eq(acquire(t1_ms), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, "+OK\r\n:10000\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, t1_ms), RDL_OK);
}

/* ---------------------------------------------------------------- extend */

START_TEST(extend_counts_from_before_its_own_send)
{
    hold(1000);
    ck_assert_int_eq(rdl_lock_extend_begin(&l, TTL, 4000), RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&s), wire_extend_sha("k", entropy_token(1), TTL));
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, 4050), RDL_OK);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l, 4050), TTL - DRIFT - 50);
}
END_TEST

START_TEST(extend_never_shortens)
{
    hold(1000);
    ck_assert_int_eq(rdl_lock_extend_begin(&l, 2000, 1500), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, 1510), RDL_OK);
    ck_assert_uint_ge(rdl_lock_remaining_ms(&l, 1510), TTL - DRIFT - 510);
    ck_assert_uint_le(rdl_lock_remaining_ms(&l, 1510), TTL - 510); /* nor believed longer than the key */
}
END_TEST

/* The key lives for the longer ttl: a release is owed so long, over as many connections as it takes. */
START_TEST(a_short_extend_does_not_shorten_what_is_owed)
{
    hold(1000);
    rdl_lock_extend_begin(&l, 2000, 1500);
    scripted_sent(&s);
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, 1510), RDL_OK);
    ck_assert_int_eq(rdl_lock_release_begin(&l, 1600), RDL_PENDING);
    scripted_break(&s);
    ck_assert_int_eq(rdl_lock_step(&l, 1601), RDL_UNKNOWN);
    if (rdl_conn_state(&s.conn) == RDL_CONN_OPENING)
        rdl_conn_closed(&s.conn, RDL_E_CONNECT);
    scripted_open(&s, 1000 + TTL - 100); /* and a pause of less than 100 ms */
    ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", entropy_token(1)));
}
END_TEST

START_TEST(an_extend_answered_after_the_old_end_is_lost_and_released)
{
    static const uint64_t late[] = {0, 1, 5000};
    uint64_t end = 1000 + TTL - DRIFT;

    hold(1000);
    ck_assert_int_eq(rdl_lock_extend_begin(&l, TTL, end - 1), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, ":1\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, end + late[_i]), RDL_LOST);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l, end - 100), 0);
    ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", entropy_token(1)));
}
END_TEST

START_TEST(an_expired_lease_is_not_extended)
{
    hold(1000);
    ck_assert_int_eq(rdl_lock_extend_begin(&l, TTL, 1000 + TTL - DRIFT), RDL_LOST);
    ck_assert_str_eq(scripted_sent(&s), "");
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

/* The extend may have reached the server: its key would be in the way of its own holder for that ttl. */
START_TEST(a_lease_that_ran_out_after_an_unanswered_extend_is_not_in_the_way)
{
    uint64_t end = 1000 + TTL - DRIFT;

    scripted_model(&s, 1000);
    ck_assert_int_eq(acquire(1000), RDL_PENDING);
    scripted_serve(&s, 1000);
    ck_assert_int_eq(rdl_lock_step(&l, 1000), RDL_OK);
    ck_assert_int_eq(rdl_lock_extend_begin(&l, 6 * TTL, 2000), RDL_PENDING);
    scripted_serve_mute(&s, 2001);
    ck_assert_int_eq(rdl_lock_step(&l, 2000 + ATTEMPT), RDL_UNKNOWN);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l, end), 0);
    scripted_break(&s);
    scripted_open(&s, end);
    ck_assert_int_eq(rdl_lock_acquire_begin(&l, token_bytes(7), end), RDL_PENDING);
    scripted_serve(&s, end);
    scripted_serve(&s, end);
    ck_assert_int_eq(rdl_lock_step(&l, end), RDL_OK);
}
END_TEST

/* A lost connection that could not be made again at once is tried again within the attempt. */
START_TEST(a_pause_of_the_connection_is_no_longer_than_it_has_to_be)
{
    uint64_t wake;

    hold(1000);
    scripted_break(&s);
    rdl_conn_upkeep(&s.conn, 2000);
    rdl_conn_closed(&s.conn, RDL_E_CONNECT);
    ck_assert_int_eq(_i ? rdl_lock_release_begin(&l, 2000) : rdl_lock_extend_begin(&l, TTL, 2000),
                     RDL_PENDING);
    wake = rdl_lock_wake_ms(&l);
    ck_assert_uint_gt(wake, 2000);
    ck_assert_uint_le(wake, 2040);
    ck_assert_int_eq(rdl_lock_step(&l, wake), RDL_PENDING);
    ck_assert_uint_eq(rdl_lock_wake_ms(&l), 2000 + ATTEMPT);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_OPENING);
    rdl_conn_opened(&s.conn);
    ck_assert_int_eq(rdl_lock_step(&l, 2000 + ATTEMPT - 1), RDL_PENDING);
    ck_assert_uint_eq(rdl_lock_wake_ms(&l), 2000 + ATTEMPT);
    ck_assert_str_ne(scripted_sent(&s), "");
    scripted_reply(&s, _i ? ":1\r\n:-2\r\n" : ":1\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, 2000 + ATTEMPT), RDL_OK);
}
END_TEST

static const struct {
    const char *reply; /* NULL: none; "x": the connection breaks */
    int result;
    int is_kept;
} extends[] = {
    {":0\r\n", RDL_LOST, 0},
    {":-1\r\n", RDL_LOST, 0},
    {"-BUSY Redis is busy\r\n", RDL_E_SCRIPTING, 1},
    {NULL, RDL_UNKNOWN, 1},
    {"x", RDL_UNKNOWN, 1},
    {"-READONLY x\r\n", RDL_E_READONLY, 1},
    {"-WRONGTYPE x\r\n", RDL_LOST, 0},
};

START_TEST(an_extend_that_fails_leaves_the_lease_or_ends_it)
{
    hold(1000);
    ck_assert_int_eq(rdl_lock_extend_begin(&l, TTL, 2000), RDL_PENDING);
    scripted_sent(&s);
    if (extends[_i].reply != NULL && extends[_i].reply[0] == 'x')
        scripted_break(&s);
    else if (extends[_i].reply != NULL)
        scripted_reply(&s, extends[_i].reply);
    ck_assert_int_eq(rdl_lock_step(&l, 2000 + ATTEMPT), extends[_i].result);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l, 3000), extends[_i].is_kept ? TTL - DRIFT - 2000 : 0);
    if (!extends[_i].is_kept)
        ck_assert_str_eq(scripted_sent(&s), wire_release_text("k", entropy_token(1)));
}
END_TEST

START_TEST(a_bad_ttl_to_extend_changes_nothing)
{
    hold(1000);
    ck_assert_int_eq(rdl_lock_extend_begin(&l, 0, 2000), RDL_E_TTL);
    ck_assert_int_eq(rdl_lock_extend_begin(&l, RDL_TTL_MAX + 1u, 2000), RDL_E_TTL);
    ck_assert_int_eq(rdl_lock_extend_begin(&l, 4 * ATTEMPT - 1, 2000), RDL_E_TTL);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l, 2000), TTL - DRIFT - 1000);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

/* ---------------------------------------------------------------- release */

static const struct {
    const char *reply;
    int result;
} releases[] = {
    {":1\r\n:-2\r\n", RDL_OK},
    {":0\r\n:-2\r\n", RDL_EXPIRED},
    {":0\r\n:700\r\n", RDL_LOST},
    {"-ERR Key should be of string type if conditions are specified\r\n:-1\r\n", RDL_LOST},
    {"-BUSY Redis is busy\r\n-BUSY Redis is busy\r\n", RDL_E_SCRIPTING},
    {NULL, RDL_UNKNOWN},
};

START_TEST(a_release_tells_released_from_gone_from_somebody_elses)
{
    hold(1000);
    ck_assert_int_eq(rdl_lock_release_begin(&l, 2000), RDL_PENDING);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l, 2000), 0); /* from here on, whatever comes */
    scripted_sent(&s);
    if (releases[_i].reply != NULL)
        scripted_reply(&s, releases[_i].reply);
    ck_assert_int_eq(rdl_lock_step(&l, 2000 + ATTEMPT), releases[_i].result);
    ck_assert_str_eq(scripted_sent(&s), ""); /* and none is tried again */
}
END_TEST

/* The server did what the release asked, and the connection ended before it could say so. */
static const struct {
    const char *reply; /* over the next one; NULL: none in time */
    uint64_t at_ms;
    int result;
} repeats[] = {
    {":0\r\n:-2\r\n", 2010, RDL_OK},
    {":0\r\n:700\r\n", 2010, RDL_OK}, /* somebody else has it since */
    {":1\r\n:-2\r\n", 2010, RDL_OK},  /* it had not been done */
    {NULL, 2000 + ATTEMPT, RDL_UNKNOWN},
};

START_TEST(a_release_that_is_sent_again_and_finds_itself_done_is_a_release)
{
    hold(1000);
    ck_assert_int_eq(rdl_lock_release_begin(&l, 2000), RDL_PENDING);
    scripted_sent(&s);
    scripted_break(&s);
    ck_assert_int_eq(rdl_lock_step(&l, 2001), RDL_PENDING);
    scripted_open(&s, 2002);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), entropy_token(1)));
    if (repeats[_i].reply != NULL)
        scripted_reply(&s, repeats[_i].reply);
    ck_assert_int_eq(rdl_lock_step(&l, repeats[_i].at_ms), repeats[_i].result);
    ck_assert_str_eq(scripted_sent(&s), "");
}
END_TEST

/* The key may have ended by itself before either was there; and of an adopted one nobody knows. */
START_TEST(a_release_that_is_sent_again_when_the_lease_is_over_tells_what_it_finds)
{
    uint64_t end = 1000 + TTL - DRIFT;

    hold(1000);
    if (_i == 2) {
        ck_assert_int_eq(rdl_lock_release_begin(&l, 1500), RDL_PENDING);
        scripted_sent(&s);
        scripted_reply(&s, ":1\r\n:-2\r\n");
        ck_assert_int_eq(rdl_lock_step(&l, 1500), RDL_OK);
        ck_assert_int_eq(rdl_lock_adopt(&l, entropy_token(1), RDL_VALUE_MAX), RDL_OK);
    }
    ck_assert_int_eq(rdl_lock_release_begin(&l, end - 2), RDL_PENDING);
    scripted_sent(&s);
    scripted_break(&s);
    rdl_lock_step(&l, end - 2);
    scripted_open(&s, end - 1);
    scripted_sent(&s);
    scripted_reply(&s, ":0\r\n:-2\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, end - (_i != 1)), _i == 0 ? RDL_OK : RDL_EXPIRED);
}
END_TEST

/* Nobody is left who could answer: no need to wait any longer. */
START_TEST(a_release_whose_next_connection_fails_as_well_is_unknown)
{
    hold(1000);
    ck_assert_int_eq(rdl_lock_release_begin(&l, 2000), RDL_PENDING);
    scripted_sent(&s);
    scripted_break(&s);
    ck_assert_int_eq(rdl_lock_step(&l, 2001), RDL_PENDING);
    rdl_conn_closed(&s.conn, RDL_E_CONNECT);
    ck_assert_int_eq(rdl_lock_step(&l, 2002), RDL_UNKNOWN);
    ck_assert_int_eq(rdl_lock_cause(&l), RDL_E_CONNECT);
    ck_assert_uint_eq(rdl_conn_waiting(&s.conn), 1); /* owed all the same */
}
END_TEST

START_TEST(a_lock_that_is_not_held_sends_no_release)
{
    ck_assert_int_eq(rdl_lock_release_begin(&l, 2000), RDL_EXPIRED);
    ck_assert(rdl_conn_is_idle(&s.conn));
    hold(3000);
    ck_assert_int_eq(rdl_lock_release_begin(&l, 3001), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, ":1\r\n:-2\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, 3002), RDL_OK);
    ck_assert_int_eq(rdl_lock_release_begin(&l, 3003), RDL_EXPIRED);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

START_TEST(a_lease_that_ran_out_is_still_released)
{
    hold(1000);
    ck_assert_int_eq(rdl_lock_release_begin(&l, 1000 + 2 * TTL), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, ":0\r\n:-2\r\n");
    ck_assert_int_eq(rdl_lock_step(&l, 1000 + 2 * TTL), RDL_EXPIRED);
}
END_TEST

Suite *suite_lock_lease(void);

Suite *suite_lock_lease(void)
{
    Suite *suite = suite_create("lock_lease");
    TCase *tc = tcase_create("lease");

    tcase_add_checked_fixture(tc, setup, NULL);
    tcase_add_test(tc, extend_counts_from_before_its_own_send);
    tcase_add_test(tc, extend_never_shortens);
    tcase_add_test(tc, a_short_extend_does_not_shorten_what_is_owed);
    tcase_add_loop_test(tc, an_extend_answered_after_the_old_end_is_lost_and_released, 0, 3);
    tcase_add_test(tc, an_expired_lease_is_not_extended);
    tcase_add_test(tc, a_lease_that_ran_out_after_an_unanswered_extend_is_not_in_the_way);
    tcase_add_loop_test(tc, a_pause_of_the_connection_is_no_longer_than_it_has_to_be, 0, 2);
    tcase_add_loop_test(tc, an_extend_that_fails_leaves_the_lease_or_ends_it, 0,
                        sizeof extends / sizeof extends[0]);
    tcase_add_test(tc, a_bad_ttl_to_extend_changes_nothing);
    tcase_add_loop_test(tc, a_release_tells_released_from_gone_from_somebody_elses, 0,
                        sizeof releases / sizeof releases[0]);
    tcase_add_loop_test(tc, a_release_that_is_sent_again_and_finds_itself_done_is_a_release, 0,
                        sizeof repeats / sizeof repeats[0]);
    tcase_add_loop_test(tc, a_release_that_is_sent_again_when_the_lease_is_over_tells_what_it_finds, 0, 3);
    tcase_add_test(tc, a_release_whose_next_connection_fails_as_well_is_unknown);
    tcase_add_test(tc, a_lock_that_is_not_held_sends_no_release);
    tcase_add_test(tc, a_lease_that_ran_out_is_still_released);
    suite_add_tcase(suite, tc);
    return suite;
}
