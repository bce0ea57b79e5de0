/* SPDX-License-Identifier: MIT */
/*
 * check_lock_legacy_clock.c - the old SETNX protocol: whose clock counts, and which values are deadlines at
 * all.
 */
#include <stdio.h>
#include <string.h>

#include "lock/lock_commands.h"
#include "tests/fixtures/legacy_holder.h"
#include "tests/suite.h"

enum { START = LEGACY_START, DAY_S = 86400 };

#define REFUSED "-ERR unknown command 'TIME', with args beginning with: \r\n"

/* The value that is sent with SETNX. */
static unsigned long written(void)
{
    const char *at = strstr(scripted_sent(&legacy.s), "SETNX\r\n$1\r\nk\r\n$10\r\n");
    unsigned long value = 0;

    ck_assert_ptr_nonnull(at);
    ck_assert_int_eq(sscanf(at + 19, "%10lu", &value), 1);
    return value;
}

/* ---------------------------------------------------------------- edge 6: clocks */

/*
 * <Unix seconds + ttl + 1>, rounded down as other clients do it, of a time that is at most a millisecond
 * late.
 */
START_TEST(value_is_the_documented_one)
{
    static const char *const usecs[] = {"0", "7", "500000", "998999", "999000", "999999"};
    static const unsigned long values[] = {1700000011, 1700000011, 1700000011,
                                           1700000011, 1700000012, 1700000012};

    ck_assert_int_eq(legacy_begin_at(usecs[_i], START), RDL_PENDING);
    ck_assert_uint_eq(written(), values[_i]);
}
END_TEST

START_TEST(ttl_counts_to_the_millisecond)
{
    static const uint32_t ttls[] = {10001, 10998, 10999, 11000, 3600000, RDL_TTL_MAX};
    static const unsigned long values[] = {1700000011, 1700000011, 1700000012,
                                           1700000012, 1700003601, 1702147484};

    legacy.opt.ttl_ms = ttls[_i];
    ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING);
    ck_assert_uint_eq(written(), values[_i]);
}
END_TEST

/* The reply took two seconds: the server's clock may be that much further by now. */
START_TEST(deadline_is_written_from_the_latest_possible_time)
{
    ck_assert_int_eq(legacy_begin(START), RDL_PENDING);
    ck_assert_int_eq(legacy_answer("*2\r\n$10\r\n1700000000\r\n$6\r\n500000\r\n", START + 2000), RDL_PENDING);
    ck_assert_uint_eq(written(), 1700000013);
}
END_TEST

/* These two seconds do not count when a deadline is tested, and a deadline that is now is not past yet. */
START_TEST(deadline_is_tested_by_the_earliest_possible_time)
{
    ck_assert_int_eq(legacy_begin(START), RDL_PENDING);
    ck_assert_int_eq(legacy_answer("*2\r\n$10\r\n1700000000\r\n$6\r\n500000\r\n", START + 2000), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(peer_number(1700000000 - _i), START + 2000), _i ? RDL_PENDING : RDL_BUSY);
    if (_i)
        ck_assert_ptr_nonnull(strstr(scripted_sent(&legacy.s), rdl_script_replace.text));
    else
        ck_assert_str_eq(scripted_sent(&legacy.s), "");
}
END_TEST

/* There is no wall clock here, only milliseconds since the boot. */
START_TEST(host_without_a_wall_clock_works)
{
    ck_assert_int_eq(legacy_begin_at("0", 3), RDL_PENDING);
    ck_assert_uint_eq(written(), 1700000011);
    ck_assert_int_eq(legacy_answer(":1\r\n:-1\r\n$1\r\nx\r\n", 4), RDL_OK);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&legacy.lock.lock, 4), LEGACY_TTL - 102 - 1);
}
END_TEST

START_TEST(set_clock_and_its_skew_replace_a_refused_time)
{
    rdl_lock_set_clock(&legacy.lock, 1700000000, 3000, START);
    ck_assert_int_eq(legacy_begin(START), RDL_PENDING);
    ck_assert_int_eq(legacy_answer(_i == 1 ? "-NOPERM no\r\n" : REFUSED, START), RDL_PENDING);
    ck_assert_uint_eq(written(), 1700000015); /* the skew, and a second for the fraction after wall_s */
    ck_assert_int_eq(legacy_answer(peer_number(1699999996), START), RDL_BUSY);
    ck_assert_int_eq(legacy_begin(START), RDL_PENDING);
    ck_assert_int_eq(legacy_answer(REFUSED, START), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(peer_number(1699999995), START), RDL_PENDING); /* past by any clock */
}
END_TEST

/* A time of the server has milliseconds, the caller's has none: no rest of the one is added to the other. */
START_TEST(set_clock_replaces_the_servers_time)
{
    ck_assert_int_eq(legacy_begin_at("999000", START), RDL_PENDING);
    ck_assert_uint_eq(written(), 1700000012);
    ck_assert_int_eq(legacy_answer(peer_number(1700000010), START), RDL_BUSY);
    rdl_lock_set_clock(&legacy.lock, 1700000000, 3000, START);
    ck_assert_int_eq(legacy_begin(START + 1), RDL_PENDING);
    ck_assert_int_eq(legacy_answer(REFUSED, START + 1), RDL_PENDING);
    ck_assert_uint_eq(written(), 1700000015);
}
END_TEST

/* Since then it may have run 1 % too fast or too slow: one second in a hundred. */
START_TEST(set_clock_drifts_with_its_age)
{
    const uint64_t later_ms = START + (_i & 2 ? 80000000 : 100000);

    rdl_lock_set_clock(&legacy.lock, 1700000000, 0, START);
    ck_assert_int_eq(legacy_begin(later_ms), RDL_PENDING);
    ck_assert_int_eq(legacy_answer(REFUSED, later_ms), RDL_PENDING);
    ck_assert_uint_eq(written(), 1700000012 + (_i & 2 ? 80800 : 101));
    ck_assert_int_eq(legacy_answer(peer_number(1699999999 + (_i & 2 ? 79200 : 99) - (_i & 1)), later_ms),
                     _i & 1 ? RDL_PENDING : RDL_BUSY);
}
END_TEST

START_TEST(legacy_lock_needs_time_or_a_set_clock)
{
    ck_assert_int_eq(legacy_begin(START), RDL_PENDING);
    ck_assert_int_eq(legacy_answer(_i ? "-NOPERM no\r\n" : REFUSED, START),
                     _i ? RDL_E_PERM : RDL_E_UNSUPPORTED);
    ck_assert_str_eq(scripted_sent(&legacy.s), "");
}
END_TEST

/*
 * The clock is in 1970, as on a board without a battery: its deadlines would be past for all other clients.
 */
START_TEST(clock_before_2001_counts_as_not_set)
{
    static const uint32_t walls_s[] = {0, 1, 300, 999999999};

    rdl_lock_set_clock(&legacy.lock, walls_s[_i], 3000, START);
    ck_assert_int_eq(legacy_begin(START), RDL_PENDING);
    ck_assert_int_eq(legacy_answer(REFUSED, START), RDL_E_UNSUPPORTED);
    ck_assert_str_eq(scripted_sent(&legacy.s), "");
}
END_TEST

START_TEST(clock_before_2001_clears_the_one_set_earlier)
{
    rdl_lock_set_clock(&legacy.lock, 1700000000, 3000, START);
    rdl_lock_set_clock(&legacy.lock, 300, 3000, START);
    ck_assert_int_eq(legacy_begin(START), RDL_PENDING);
    ck_assert_int_eq(legacy_answer(REFUSED, START), RDL_E_UNSUPPORTED);
    ck_assert_str_eq(scripted_sent(&legacy.s), "");
}
END_TEST

/* The same for an extend: the lease continues, but no deadline is written from an unknown time. */
START_TEST(lease_is_not_extended_with_a_too_old_clock)
{
    uint64_t later_ms = START + (uint64_t)DAY_S * 1000 + 1;

    legacy.opt.ttl_ms = 2 * DAY_S * 1000;
    rdl_lock_set_clock(&legacy.lock, 1700000000, 0, START);
    ck_assert_int_eq(legacy_begin(START), RDL_PENDING);
    ck_assert_int_eq(legacy_answer(REFUSED, START), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(":1\r\n:-1\r\n$1\r\nx\r\n", START), RDL_OK);
    ck_assert_int_eq(rdl_lock_extend_begin(&legacy.lock.lock, legacy.opt.ttl_ms, later_ms), RDL_PENDING);
    ck_assert_str_eq(scripted_sent(&legacy.s), "*1\r\n$4\r\nTIME\r\n");
    ck_assert_int_eq(legacy_answer(REFUSED, later_ms), RDL_E_UNSUPPORTED);
    ck_assert_str_eq(scripted_sent(&legacy.s), "");
    ck_assert_uint_gt(rdl_lock_remaining_ms(&legacy.lock.lock, later_ms), 0);
}
END_TEST

/* After fifty days the milliseconds since then no longer fit 32 bits, and no clock is that accurate. */
START_TEST(clock_that_was_set_long_ago_is_not_used)
{
    static const uint64_t days[] = {2, 49, 50, 51, 5000};
    uint64_t later_ms = START + days[_i] * DAY_S * 1000;

    rdl_lock_set_clock(&legacy.lock, 1700000000, 3000, START);
    ck_assert_int_eq(legacy_begin(later_ms), RDL_PENDING);
    ck_assert_int_eq(legacy_answer(REFUSED, later_ms), RDL_E_UNSUPPORTED);
    ck_assert_str_eq(scripted_sent(&legacy.s), "");
}
END_TEST

/* Extended again and again: TIME is sent again before the clock is too old to use. */
START_TEST(lease_extended_for_months_keeps_a_future_deadline)
{
    uint64_t now_ms = START;
    unsigned long ahead_s = 0;
    int i;

    ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(":1\r\n", START), RDL_OK);
    scripted_reply(&legacy.s, ":-1\r\n$1\r\nx\r\n");
    legacy.opt.ttl_ms = 7200000;
    for (i = 0; i < 24 * 60; i++) {
        char text[64];
        unsigned long server_s = 1700000000 + (unsigned long)i * 3600;
        const char *sent;
        now_ms = START + (uint64_t)i * 3600000;
        ck_assert_int_eq(rdl_lock_extend_begin(&legacy.lock.lock, 7200000, now_ms), RDL_PENDING);
        sent = scripted_sent(&legacy.s);
        if (strstr(sent, "TIME") != NULL) {
            snprintf(text, sizeof text, "*2\r\n$10\r\n%lu\r\n$1\r\n0\r\n", server_s);
            ck_assert_int_eq(legacy_answer(text, now_ms), RDL_PENDING);
            sent = scripted_sent(&legacy.s);
        }
        sent = strrchr(sent, '$');
        ck_assert_ptr_nonnull(sent);
        ck_assert_int_eq(sscanf(sent + 5, "%10lu", &ahead_s), 1);
        ck_assert_uint_ge(ahead_s, server_s + 7200);
        ck_assert_uint_le(ahead_s, server_s + 7200 + 60);
        ck_assert_int_eq(legacy_answer(":1\r\n", now_ms), RDL_OK);
    }
}
END_TEST

/* ---------------------------------------------------------------- edge 7: units and invalid values */

static const struct {
    const char *value;
} foreign[] = {
    {""},
    {"0"},
    {"1"},
    {"-1700000000"},
    {"+1700000000"},
    {" 1700000000"},
    {"1700000000 "},
    {"1700000000\n"},
    {"1700000000000"}, /* milliseconds */
    {"1700000000000000"},
    {"1700086401"}, /* more than a day ahead */
    {"4294967295"},
    {"4294967296"},
    {"99999999999999999999"},
    {"999999999"}, /* before 2001 */
    {"0x6553f100"},
    {"1.7e9"},
    {"nan"},
    {""},
    {"inf"},
    {"locked"},
    {"1699999999:me"},
    {"1699999999.x"},
    {"1699999999.5.5"},
    {"1699999999.1234567890123"},
    {"00112233445566778899aabbccddeeff00000001"},
    {"1122334455667788990011223344556677889900"},
};

/* To wait for it is useless, too. */
START_TEST(value_that_is_no_deadline_is_never_taken_over)
{
    legacy.opt.wait_ms = RDL_WAIT_FOREVER;
    legacy.opt.retry_ms = 1;
    ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(peer_reply(foreign[_i].value, ":-1\r\n"), START), RDL_E_FOREIGN_VALUE);
    ck_assert_str_eq(scripted_sent(&legacy.s), "");
}
END_TEST

/* The server's time is 1 ms before the next second. */
START_TEST(deadline_of_this_second_is_not_past)
{
    ck_assert_int_eq(legacy_begin_at("999000", START), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(peer_number(1700000000), START), RDL_BUSY);
    ck_assert_int_eq(rdl_lock_holder_ms(&legacy.lock.lock), 1);
}
END_TEST

/* A plain lock, for example: it expires. */
START_TEST(foreign_value_is_busy_until_its_expiry)
{
    ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(peer_reply(foreign[_i].value, ":1234\r\n"), START), RDL_BUSY);
    ck_assert_int_eq(rdl_lock_holder_ms(&legacy.lock.lock), 1234);
    ck_assert_str_eq(scripted_sent(&legacy.s), "");
}
END_TEST

START_TEST(past_deadline_is_taken_over)
{
    static const char *const values[] = {"1699999999", "1699999999.", "1699999999.5",
                                         "1699999999.123456789012", "1000000000"};

    ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(peer_reply(values[_i], ":-1\r\n"), START), RDL_PENDING);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&legacy.s), values[_i]));
}
END_TEST

/* An earlier request, whose answer led to it, was sent half a second before. */
START_TEST(lease_counts_from_the_request_that_got_it)
{
    enum { LATE = 500, REPLIED = 600 };

    ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(peer_number(1699999990), START + LATE), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(":1\r\n", START + REPLIED), RDL_RECOVERED);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&legacy.lock.lock, START + REPLIED),
                      LEGACY_TTL - 102 - (REPLIED - LATE));
}
END_TEST

/* The clock is read again first, because it is an hour old. */
START_TEST(extended_lease_counts_from_the_extend)
{
    enum { HOUR = 3600000, TTL = 2 * HOUR };
    const uint64_t later_ms = START + HOUR;
    uint64_t left_ms;

    legacy.opt.ttl_ms = TTL;
    ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(":1\r\n:-1\r\n$1\r\nx\r\n", START), RDL_OK);
    left_ms = rdl_lock_remaining_ms(&legacy.lock.lock, START);
    ck_assert_int_eq(rdl_lock_extend_begin(&legacy.lock.lock, TTL, later_ms), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer("*2\r\n$10\r\n1700003600\r\n$1\r\n0\r\n", later_ms + 500), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(":1\r\n", later_ms + 600), RDL_OK);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&legacy.lock.lock, later_ms + 600), left_ms - 100);
}
END_TEST

/* The first value was gone when PTTL came, and another one followed. */
START_TEST(foreign_value_with_unknown_expiry_is_busy)
{
    ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(peer_reply("00112233445566778899aabbccddeeff00000001", ":-2\r\n"), START),
                     RDL_BUSY);
    ck_assert_int_eq(rdl_lock_holder_ms(&legacy.lock.lock), -2);
    ck_assert_str_eq(scripted_sent(&legacy.s), "");
}
END_TEST

/* For leases of seconds a day ahead is no deadline; for leases of hours the limit is ten leases. */
START_TEST(deadline_is_at_most_ten_leases_ahead)
{
    static const long ahead_s[] = {90000, 100000, 100001};
    static const int results[] = {RDL_BUSY, RDL_BUSY, RDL_E_FOREIGN_VALUE};

    legacy.opt.ttl_ms = 10000000;
    ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(peer_number(1700000000 + ahead_s[_i]), START), results[_i]);
    ck_assert_str_eq(scripted_sent(&legacy.s), "");
}
END_TEST

START_TEST(key_of_another_type_is_foreign)
{
    ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING);
    scripted_sent(&legacy.s);
    ck_assert_int_eq(legacy_answer(_i ? ":0\r\n" REFUSED
                                        "-ERR Operation against a key holding the wrong kind of "
                                        "value\r\n" /* Redis 2.4 */
                                      : ":0\r\n:-1\r\n-WRONGTYPE Operation against a key\r\n",
                                   START),
                     RDL_E_FOREIGN_VALUE);
}
END_TEST

/* The refusal arrived, the value did not: it is unknown, and that is not permanent. */
START_TEST(value_that_did_not_arrive_is_busy)
{
    ck_assert_int_eq(legacy_begin_at("0", START), RDL_PENDING);
    scripted_sent(&legacy.s);
    scripted_reply(&legacy.s, _i & 1 ? ":0\r\n:-1\r\n" : ":0\r\n");
    if (_i & 2)
        scripted_break(&legacy.s);
    ck_assert_int_eq(rdl_lock_step(&legacy.lock.lock, START + 2500), RDL_BUSY);
    ck_assert_int_eq(rdl_lock_holder_ms(&legacy.lock.lock), -2);
}
END_TEST

Suite *suite_lock_legacy_clock(void)
{
    Suite *suite = suite_create("lock_legacy_clock");
    TCase *tc = suite_case(suite, "clock", legacy_setup, NULL);

    tcase_add_loop_test(tc, value_is_the_documented_one, 0, 6);
    tcase_add_loop_test(tc, ttl_counts_to_the_millisecond, 0, 6);
    tcase_add_test(tc, deadline_is_written_from_the_latest_possible_time);
    tcase_add_loop_test(tc, deadline_is_tested_by_the_earliest_possible_time, 0, 2);
    tcase_add_test(tc, host_without_a_wall_clock_works);
    tcase_add_loop_test(tc, set_clock_and_its_skew_replace_a_refused_time, 0, 2);
    tcase_add_test(tc, set_clock_replaces_the_servers_time);
    tcase_add_loop_test(tc, set_clock_drifts_with_its_age, 0, 4);
    tcase_add_loop_test(tc, legacy_lock_needs_time_or_a_set_clock, 0, 2);
    tcase_add_loop_test(tc, clock_before_2001_counts_as_not_set, 0, 4);
    tcase_add_test(tc, clock_before_2001_clears_the_one_set_earlier);
    tcase_add_test(tc, lease_is_not_extended_with_a_too_old_clock);
    tcase_add_loop_test(tc, clock_that_was_set_long_ago_is_not_used, 0, 5);
    tcase_add_test(tc, lease_extended_for_months_keeps_a_future_deadline);
    tcase_add_loop_test(tc, value_that_is_no_deadline_is_never_taken_over, 0,
                        sizeof foreign / sizeof foreign[0]);
    tcase_add_test(tc, deadline_of_this_second_is_not_past);
    tcase_add_loop_test(tc, foreign_value_is_busy_until_its_expiry, 0, sizeof foreign / sizeof foreign[0]);
    tcase_add_loop_test(tc, past_deadline_is_taken_over, 0, 5);
    tcase_add_test(tc, lease_counts_from_the_request_that_got_it);
    tcase_add_test(tc, extended_lease_counts_from_the_extend);
    tcase_add_test(tc, foreign_value_with_unknown_expiry_is_busy);
    tcase_add_loop_test(tc, deadline_is_at_most_ten_leases_ahead, 0, 3);
    tcase_add_loop_test(tc, key_of_another_type_is_foreign, 0, 2);
    tcase_add_loop_test(tc, value_that_did_not_arrive_is_busy, 0, 4);
    return suite;
}
