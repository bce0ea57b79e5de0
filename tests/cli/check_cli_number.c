/* SPDX-License-Identifier: MIT */
#include "redlock/cli/options/numbers.h"
#include "redlock/redlock.h"
#include "tests/suite.h"

static uint64_t ms_of(const char *text)
{
    uint64_t ms = 0;
    return rdl_cli_duration(text, UINT64_MAX - 1, &ms) == 0 ? ms : UINT64_MAX;
}

/* A clock before 2001 was never set. A time_t of 32 bits is negative from 2038 on. */
START_TEST(an_unset_wall_clock_is_not_used)
{
    ck_assert_uint_eq(rdl_cli_wall_ms(1700000000, 123456789), 1700000000123);
    ck_assert_uint_eq(rdl_cli_wall_ms(1000000000, 0), 1000000000000);
    ck_assert_uint_eq(rdl_cli_wall_ms(4294967295, 999999999), 4294967295999);
    ck_assert_uint_eq(rdl_cli_wall_ms(999999999, 0), 0);
    ck_assert_uint_eq(rdl_cli_wall_ms(0, 0), 0);
    ck_assert_uint_eq(rdl_cli_wall_ms(-1, 999999999), 0);
    ck_assert_uint_eq(rdl_cli_wall_ms(INT32_MIN, 0), 0);
    ck_assert_uint_eq(rdl_cli_wall_ms(INT64_MAX, 0), 0);
}
END_TEST

START_TEST(a_duration_has_a_unit_or_is_in_seconds)
{
    ck_assert_uint_eq(ms_of("30s"), 30000);
    ck_assert_uint_eq(ms_of("1500ms"), 1500);
    ck_assert_uint_eq(ms_of("5m"), 300000);
    ck_assert_uint_eq(ms_of("2h"), 7200000);
    ck_assert_uint_eq(ms_of("1.5s"), 1500);
    ck_assert_uint_eq(ms_of("0.25m"), 15000);
    ck_assert_uint_eq(ms_of(".5h"), 1800000);
    ck_assert_uint_eq(ms_of("0s"), 0);
    ck_assert_uint_eq(ms_of("10"), 10000);
    ck_assert_uint_eq(ms_of("0.5"), 500);
    ck_assert_uint_eq(ms_of(".5"), 500);
    ck_assert_uint_eq(ms_of("0"), 0);
}
END_TEST

START_TEST(a_fraction_is_rounded_up_and_never_to_zero)
{
    ck_assert_uint_eq(ms_of("0.0001"), 1);
    ck_assert_uint_eq(ms_of("0.000001"), 1);
    ck_assert_uint_eq(ms_of("0.0000001"), 1);
    ck_assert_uint_eq(ms_of("0.0010000001"), 2);
    ck_assert_uint_eq(ms_of("0.0010000000"), 1);
    ck_assert_uint_eq(ms_of("1.0015"), 1002);
    ck_assert_uint_eq(ms_of("0.5ms"), 1);
}
END_TEST

START_TEST(a_duration_is_shown_in_whole_seconds_or_in_ms)
{
    char out[RDL_CLI_DURATION_MAX];

    ck_assert_str_eq(rdl_cli_duration_text(0, out), "0ms");
    ck_assert_str_eq(rdl_cli_duration_text(999, out), "999ms");
    ck_assert_str_eq(rdl_cli_duration_text(1000, out), "1s");
    ck_assert_str_eq(rdl_cli_duration_text(1500, out), "1500ms");
    ck_assert_str_eq(rdl_cli_duration_text(40000, out), "40s");
    ck_assert_str_eq(rdl_cli_duration_text(60000, out), "60s");
    ck_assert_str_eq(rdl_cli_duration_text(90000, out), "90s");
    ck_assert_str_eq(rdl_cli_duration_text(120000, out), "2m");
    ck_assert_str_eq(rdl_cli_duration_text(3600000, out), "1h");
    ck_assert_str_eq(rdl_cli_duration_text(7200000, out), "2h");
    ck_assert_str_eq(rdl_cli_duration_text(7200001, out), "7200001ms");
    ck_assert_str_eq(rdl_cli_duration_text(UINT64_MAX, out), "18446744073709551615ms");
}
END_TEST

START_TEST(malformed_durations_are_refused)
{
    static const char *const wrong[] = {
        "",    "s",   ".",    ".s",    "30 s",  " 30s", "-1s", "+1s", "1.s", "1.",   "1,5s",
        "30S", "30d", "1e3s", "0x10s", "30sec", "x",    "1 ",  "inf", "nan", "1..5", "99999999999999999999s"};

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        ck_assert_msg(ms_of(wrong[i]) == UINT64_MAX, "\"%s\"", wrong[i]);
}
END_TEST

START_TEST(the_largest_duration_is_accepted)
{
    uint64_t ms;
    ck_assert_int_eq(rdl_cli_duration("2147483647ms", RDL_TTL_MAX, &ms), 0);
    ck_assert_uint_eq(ms, RDL_TTL_MAX);
    ck_assert_int_eq(rdl_cli_duration("2147483648ms", RDL_TTL_MAX, &ms), -1);
    ck_assert_int_eq(rdl_cli_duration("99999999999999h", UINT64_MAX - 1, &ms), -1);
}
END_TEST

START_TEST(numbers_are_digits_within_bounds)
{
    int v = -1;
    ck_assert_int_eq(rdl_cli_number("255", 255, &v), 0);
    ck_assert_int_eq(v, 255);
    ck_assert_int_eq(rdl_cli_number("0", 255, &v), 0);
    ck_assert_int_eq(v, 0);
    ck_assert_int_eq(rdl_cli_number("256", 255, &v), -1);
    ck_assert_int_eq(rdl_cli_number("", 255, &v), -1);
    ck_assert_int_eq(rdl_cli_number("-1", 255, &v), -1);
    ck_assert_int_eq(rdl_cli_number("7x", 255, &v), -1);
    ck_assert_int_eq(rdl_cli_number("99999999999999", 255, &v), -1);
}
END_TEST

Suite *suite_cli_number(void)
{
    Suite *s = suite_create("cli_number");
    TCase *t = suite_case(s, "durations and numbers", NULL, NULL);
    tcase_add_test(t, a_duration_is_shown_in_whole_seconds_or_in_ms);
    tcase_add_test(t, an_unset_wall_clock_is_not_used);
    tcase_add_test(t, a_duration_has_a_unit_or_is_in_seconds);
    tcase_add_test(t, a_fraction_is_rounded_up_and_never_to_zero);
    tcase_add_test(t, malformed_durations_are_refused);
    tcase_add_test(t, the_largest_duration_is_accepted);
    tcase_add_test(t, numbers_are_digits_within_bounds);
    return s;
}
