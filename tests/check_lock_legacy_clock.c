/* SPDX-License-Identifier: MIT */
/* The old SETNX protocol: whose clock counts, and which values are deadlines at all. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "lock/lock.h"
#include "tests/scripted.h"

enum { TTL = 10000, START = 5000, DAY_S = 86400 };

#define REFUSED "-ERR unknown command 'TIME', with args beginning with: \r\n"

static struct scripted s;
static struct rdl_lock l;
static struct rdl_options opt;

static void setup(void)
{
    const struct rdl_options once = {.ttl_ms = TTL, .attempt_ms = 2500};

    scripted_init(&s);
    scripted_open(&s, START);
    opt = once;
    rdl_lock_init(&l, &rdl_lock_legacy_integer, &opt, &s.conn, "k", 1);
}

static int begin(uint64_t now_ms)
{
    int rc = rdl_lock_acquire_begin(&l, entropy_bytes(), now_ms);

    scripted_sent(&s);
    return rc;
}

static int answer(const char *text, uint64_t now_ms)
{
    scripted_reply(&s, text);
    return rdl_lock_step(&l, now_ms);
}

/* The value that goes out with SETNX. */
static unsigned long written(void)
{
    const char *at = strstr(scripted_sent(&s), "SETNX\r\n$1\r\nk\r\n$10\r\n");
    unsigned long value = 0;

    ck_assert_ptr_nonnull(at);
    ck_assert_int_eq(sscanf(at + 19, "%10lu", &value), 1);
    return value;
}

static const char *peer_reply(const char *value, const char *pttl)
{
    static char text[256];

    snprintf(text, sizeof text, ":0\r\n%s$%zu\r\n%s\r\n", pttl, strlen(value), value);
    return text;
}

static const char *peer_number(long value)
{
    static char text[32];

    snprintf(text, sizeof text, "%ld", value);
    return peer_reply(text, ":-1\r\n");
}

/* TIME answered at once: 1700000000 and usec behind it. */
static int at_once(const char *usec, uint64_t now_ms)
{
    char text[64];

    snprintf(text, sizeof text, "*2\r\n$10\r\n1700000000\r\n$%zu\r\n%s\r\n", strlen(usec), usec);
    ck_assert_int_eq(begin(now_ms), RDL_PENDING);
    return answer(text, now_ms);
}

/* ---------------------------------------------------------------- edge 6: clocks */

/* <Unix seconds + ttl + 1>: floor, as the others do it, of a time that is a millisecond late at most. */
START_TEST(the_value_is_that_of_the_documents)
{
    static const char *const usecs[] = {"0", "7", "500000", "998999", "999000", "999999"};
    static const unsigned long values[] = {1700000011, 1700000011, 1700000011,
                                           1700000011, 1700000012, 1700000012};

    ck_assert_int_eq(at_once(usecs[_i], START), RDL_PENDING);
    ck_assert_uint_eq(written(), values[_i]);
}
END_TEST

START_TEST(the_ttl_counts_to_the_millisecond)
{
    static const uint32_t ttls[] = {10001, 10998, 10999, 11000, 3600000, RDL_TTL_MAX};
    static const unsigned long values[] = {1700000011, 1700000011, 1700000012,
                                           1700000012, 1700003601, 1702147484};

    opt.ttl_ms = ttls[_i];
    ck_assert_int_eq(at_once("0", START), RDL_PENDING);
    ck_assert_uint_eq(written(), values[_i]);
}
END_TEST

/* The answer took two seconds: the server's clock may be that much further by now. */
START_TEST(a_deadline_is_written_by_the_latest_the_clock_can_show)
{
    ck_assert_int_eq(begin(START), RDL_PENDING);
    ck_assert_int_eq(answer("*2\r\n$10\r\n1700000000\r\n$6\r\n500000\r\n", START + 2000), RDL_PENDING);
    ck_assert_uint_eq(written(), 1700000013);
}
END_TEST

/* The same two seconds do not count where a deadline is tested; and one that is now is not yet past. */
START_TEST(a_deadline_is_tested_by_the_earliest_the_clock_can_show)
{
    ck_assert_int_eq(begin(START), RDL_PENDING);
    ck_assert_int_eq(answer("*2\r\n$10\r\n1700000000\r\n$6\r\n500000\r\n", START + 2000), RDL_PENDING);
    scripted_sent(&s);
    ck_assert_int_eq(answer(peer_number(1700000000 - _i), START + 2000), _i ? RDL_PENDING : RDL_BUSY);
    if (_i)
        ck_assert_ptr_nonnull(strstr(scripted_sent(&s), "EVALSHA"));
    else
        ck_assert_str_eq(scripted_sent(&s), "");
}
END_TEST

/* Nothing here knows a wall clock: milliseconds since the boot are all there is. */
START_TEST(a_host_without_a_wall_clock_works)
{
    ck_assert_int_eq(at_once("0", 3), RDL_PENDING);
    ck_assert_uint_eq(written(), 1700000011);
    ck_assert_int_eq(answer(":1\r\n:-1\r\n$1\r\nx\r\n", 4), RDL_OK);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&l, 4), TTL - 102 - 1);
}
END_TEST

START_TEST(without_time_the_clock_that_was_set_counts_with_its_skew)
{
    rdl_lock_set_clock(&l, 1700000000, 3000, START);
    ck_assert_int_eq(begin(START), RDL_PENDING);
    ck_assert_int_eq(answer(_i == 1 ? "-NOPERM no\r\n" : REFUSED, START), RDL_PENDING);
    ck_assert_uint_eq(written(), 1700000015); /* the skew, and a second for what is behind wall_s */
    ck_assert_int_eq(answer(peer_number(1699999996), START), RDL_BUSY);
    ck_assert_int_eq(begin(START), RDL_PENDING);
    ck_assert_int_eq(answer(REFUSED, START), RDL_PENDING);
    ck_assert_int_eq(answer(peer_number(1699999995), START), RDL_PENDING); /* past by any clock */
}
END_TEST

/* It may have run 1 % too fast or too slow since: a second of a hundred. */
START_TEST(a_clock_that_was_set_is_off_by_its_age)
{
    rdl_lock_set_clock(&l, 1700000000, 0, START);
    ck_assert_int_eq(begin(START + 100000), RDL_PENDING);
    ck_assert_int_eq(answer(REFUSED, START + 100000), RDL_PENDING);
    ck_assert_uint_eq(written(), 1700000113);
    ck_assert_int_eq(answer(peer_number(1700000098 - _i), START + 100000), _i ? RDL_PENDING : RDL_BUSY);
}
END_TEST

START_TEST(without_time_and_without_a_clock_it_cannot_be_used)
{
    ck_assert_int_eq(begin(START), RDL_PENDING);
    ck_assert_int_eq(answer(_i ? "-NOPERM no\r\n" : REFUSED, START), _i ? RDL_E_PERM : RDL_E_UNSUPPORTED);
    ck_assert_str_eq(scripted_sent(&s), "");
}
END_TEST

/* Fifty days later the milliseconds since then no longer fit 32 bits; and nobody's clock runs so true. */
START_TEST(a_clock_that_was_set_long_ago_counts_no_more)
{
    static const uint64_t days[] = {2, 49, 50, 51, 5000};
    uint64_t later_ms = START + days[_i] * DAY_S * 1000;

    rdl_lock_set_clock(&l, 1700000000, 3000, START);
    ck_assert_int_eq(begin(later_ms), RDL_PENDING);
    ck_assert_int_eq(answer(REFUSED, later_ms), RDL_E_UNSUPPORTED);
    ck_assert_str_eq(scripted_sent(&s), "");
}
END_TEST

/* Extended again and again: the clock is asked for anew before it is of no use. */
START_TEST(a_lease_that_is_extended_for_months_keeps_a_deadline_ahead)
{
    uint64_t now_ms = START;
    unsigned long ahead_s = 0;
    int i;

    ck_assert_int_eq(at_once("0", START), RDL_PENDING);
    scripted_sent(&s);
    ck_assert_int_eq(answer(":1\r\n", START), RDL_OK);
    scripted_reply(&s, ":-1\r\n$1\r\nx\r\n");
    opt.ttl_ms = 7200000;
    for (i = 0; i < 24 * 60; i++) {
        char text[64];
        unsigned long server_s = 1700000000 + (unsigned long)i * 3600;
        const char *sent;
        now_ms = START + (uint64_t)i * 3600000;
        ck_assert_int_eq(rdl_lock_extend_begin(&l, 7200000, now_ms), RDL_PENDING);
        sent = scripted_sent(&s);
        if (strstr(sent, "TIME") != NULL) {
            snprintf(text, sizeof text, "*2\r\n$10\r\n%lu\r\n$1\r\n0\r\n", server_s);
            ck_assert_int_eq(answer(text, now_ms), RDL_PENDING);
            sent = scripted_sent(&s);
        }
        sent = strrchr(sent, '$');
        ck_assert_ptr_nonnull(sent);
        ck_assert_int_eq(sscanf(sent + 5, "%10lu", &ahead_s), 1);
        ck_assert_uint_ge(ahead_s, server_s + 7200);
        ck_assert_uint_le(ahead_s, server_s + 7200 + 60);
        ck_assert_int_eq(answer(":1\r\n", now_ms), RDL_OK);
    }
}
END_TEST

/* ---------------------------------------------------------------- edge 7: units and garbage */

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
    {"inf"},
    {"locked"},
    {"1699999999:me"},
    {"1699999999.x"},
    {"1699999999.5.5"},
    {"1699999999.1234567890123"},
    {"00112233445566778899aabbccddeeff00000001"},
    {"1122334455667788990011223344556677889900"},
};

START_TEST(what_is_no_deadline_is_never_taken_over)
{
    ck_assert_int_eq(at_once("0", START), RDL_PENDING);
    scripted_sent(&s);
    ck_assert_int_eq(answer(peer_reply(foreign[_i].value, ":-1\r\n"), START), RDL_E_FOREIGN_VALUE);
    ck_assert_str_eq(scripted_sent(&s), "");
}
END_TEST

/* A px lock, say: it ends by itself. */
START_TEST(a_foreign_value_with_an_expiry_is_busy_for_that_long)
{
    ck_assert_int_eq(at_once("0", START), RDL_PENDING);
    scripted_sent(&s);
    ck_assert_int_eq(answer(peer_reply(foreign[_i].value, ":1234\r\n"), START), RDL_BUSY);
    ck_assert_int_eq(rdl_lock_holder_ms(&l), 1234);
    ck_assert_str_eq(scripted_sent(&s), "");
}
END_TEST

START_TEST(what_is_a_deadline_in_the_past_is_taken_over)
{
    static const char *const values[] = {"1699999999", "1699999999.", "1699999999.5",
                                         "1699999999.123456789012", "1000000000"};

    ck_assert_int_eq(at_once("0", START), RDL_PENDING);
    scripted_sent(&s);
    ck_assert_int_eq(answer(peer_reply(values[_i], ":-1\r\n"), START), RDL_PENDING);
    ck_assert_ptr_nonnull(strstr(scripted_sent(&s), values[_i]));
}
END_TEST

START_TEST(a_key_of_another_type_is_foreign)
{
    ck_assert_int_eq(at_once("0", START), RDL_PENDING);
    scripted_sent(&s);
    ck_assert_int_eq(answer(":0\r\n:-1\r\n-WRONGTYPE Operation against a key\r\n", START),
                     RDL_E_FOREIGN_VALUE);
}
END_TEST

/* The refusal came, its value did not: nobody knows what stands there, and that is not for ever. */
START_TEST(a_value_that_did_not_arrive_is_busy)
{
    ck_assert_int_eq(at_once("0", START), RDL_PENDING);
    scripted_sent(&s);
    scripted_reply(&s, _i & 1 ? ":0\r\n:-1\r\n" : ":0\r\n");
    if (_i & 2)
        scripted_break(&s);
    ck_assert_int_eq(rdl_lock_step(&l, START + 2500), RDL_BUSY);
    ck_assert_int_eq(rdl_lock_holder_ms(&l), -2);
}
END_TEST

Suite *suite_lock_legacy_clock(void);

Suite *suite_lock_legacy_clock(void)
{
    Suite *suite = suite_create("lock_legacy_clock");
    TCase *tc = tcase_create("clock");

    tcase_add_checked_fixture(tc, setup, NULL);
    tcase_add_loop_test(tc, the_value_is_that_of_the_documents, 0, 6);
    tcase_add_loop_test(tc, the_ttl_counts_to_the_millisecond, 0, 6);
    tcase_add_test(tc, a_deadline_is_written_by_the_latest_the_clock_can_show);
    tcase_add_loop_test(tc, a_deadline_is_tested_by_the_earliest_the_clock_can_show, 0, 2);
    tcase_add_test(tc, a_host_without_a_wall_clock_works);
    tcase_add_loop_test(tc, without_time_the_clock_that_was_set_counts_with_its_skew, 0, 2);
    tcase_add_loop_test(tc, a_clock_that_was_set_is_off_by_its_age, 0, 2);
    tcase_add_loop_test(tc, without_time_and_without_a_clock_it_cannot_be_used, 0, 2);
    tcase_add_loop_test(tc, a_clock_that_was_set_long_ago_counts_no_more, 0, 5);
    tcase_add_test(tc, a_lease_that_is_extended_for_months_keeps_a_deadline_ahead);
    tcase_add_loop_test(tc, what_is_no_deadline_is_never_taken_over, 0, sizeof foreign / sizeof foreign[0]);
    tcase_add_loop_test(tc, a_foreign_value_with_an_expiry_is_busy_for_that_long, 0,
                        sizeof foreign / sizeof foreign[0]);
    tcase_add_loop_test(tc, what_is_a_deadline_in_the_past_is_taken_over, 0, 5);
    tcase_add_test(tc, a_key_of_another_type_is_foreign);
    tcase_add_loop_test(tc, a_value_that_did_not_arrive_is_busy, 0, 4);
    suite_add_tcase(suite, tc);
    return suite;
}
