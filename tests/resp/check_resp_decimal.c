/* SPDX-License-Identifier: MIT */
/* check_resp_decimal.c - decimal numbers. */
#include "resp/resp_template.h"
#include "tests/suite.h"

#include <stdio.h>
#include <string.h>

static void check_decimal(uint32_t v)
{
    char expected[16];
    char got[RDL_DEC_MAX + 2];
    size_t n;

    memset(got, '#', sizeof got);
    snprintf(expected, sizeof expected, "%lu", (unsigned long)v);
    n = rdl_dec_u32(got, v);
    if (n != strlen(expected) || memcmp(got, expected, n) != 0 || got[n] != '#')
        ck_abort_msg("%s: %zu digits, %.12s", expected, n, got);
}

START_TEST(decimals_are_right_around_every_power_of_ten)
{
    uint32_t power = 1;
    int i;
    uint32_t k;

    for (i = 0; i < RDL_DEC_MAX; i++) {
        for (k = 0; k < 10; k++) {
            check_decimal(power * k); /* wraps above 2^32: just another number */
            check_decimal(power - k);
            check_decimal(power + k);
        }
        power *= 10;
    }
    check_decimal(UINT32_MAX);
    check_decimal(UINT32_MAX - 1);
    check_decimal(4000000000u);
    check_decimal(3999999999u);
}
END_TEST

START_TEST(decimals_are_right_for_every_small_and_many_large_numbers)
{
    uint32_t v;

    for (v = 0; v < 100000; v++)
        check_decimal(v);
    for (v = 100000; v < 4294900000u; v += 65521)
        check_decimal(v);
}
END_TEST

Suite *suite_resp_decimal(void)
{
    Suite *s = suite_create("resp_decimal");
    TCase *t = suite_case(s, "resp_decimal", NULL, NULL);

    tcase_add_test(t, decimals_are_right_around_every_power_of_ten);
    tcase_add_test(t, decimals_are_right_for_every_small_and_many_large_numbers);
    return s;
}
