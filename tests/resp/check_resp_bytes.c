/* SPDX-License-Identifier: MIT */
/* check_resp_bytes.c - copying, clearing and comparing bytes; the clang build tests the versions for -Os. */
#include "resp/resp_bytes.h"

#include <check.h>
#include <string.h>

enum { LONG = 40 };

static uint8_t bytes[LONG + 2];

static void number(void)
{
    size_t i;

    for (i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)i;
}

START_TEST(copy_writes_exactly_the_given_bytes)
{
    uint8_t to[LONG + 2];
    size_t n = (size_t)_i;

    number();
    memset(to, '#', sizeof to);
    rdl_copy(to + 1, bytes + 1, n);
    ck_assert_uint_eq(to[0], '#');
    ck_assert_mem_eq(to + 1, bytes + 1, n);
    ck_assert_uint_eq(to[n + 1], '#');
}
END_TEST

START_TEST(copy_may_move_bytes_towards_the_front)
{
    size_t i;

    number();
    rdl_copy(bytes + 1, bytes + 1 + _i, (size_t)(LONG - _i));
    for (i = 1; i <= (size_t)(LONG - _i); i++)
        ck_assert_uint_eq(bytes[i], i + (size_t)_i);
    ck_assert_uint_eq(bytes[0], 0);
    ck_assert_uint_eq(bytes[LONG + 1], LONG + 1);
}
END_TEST

START_TEST(zero_clears_exactly_the_given_bytes)
{
    size_t n = (size_t)_i;
    size_t i;

    memset(bytes, '#', sizeof bytes);
    rdl_zero(bytes + 1, n);
    for (i = 0; i < n; i++)
        ck_assert_uint_eq(bytes[1 + i], 0);
    ck_assert_uint_eq(bytes[0], '#');
    ck_assert_uint_eq(bytes[n + 1], '#');
}
END_TEST

START_TEST(is_same_compares_every_byte)
{
    uint8_t other[LONG];
    size_t i;

    number();
    memcpy(other, bytes, sizeof other);
    ck_assert(rdl_is_same(bytes, other, LONG));
    for (i = 0; i < LONG; i++) {
        other[i] ^= 0x80;
        ck_assert(!rdl_is_same(bytes, other, LONG));
        ck_assert(rdl_is_same(bytes, other, i));
        other[i] ^= 0x80;
    }
}
END_TEST

START_TEST(no_bytes_need_no_address)
{
    rdl_copy(NULL, NULL, 0);
    rdl_copy(bytes, NULL, 0);
    ck_assert(rdl_is_same(NULL, bytes, 0));
}
END_TEST

Suite *suite_resp_bytes(void);
Suite *suite_resp_bytes(void)
{
    Suite *s = suite_create("resp_bytes");
    TCase *t = tcase_create("resp_bytes");

    tcase_add_loop_test(t, copy_writes_exactly_the_given_bytes, 0, LONG);
    tcase_add_loop_test(t, copy_may_move_bytes_towards_the_front, 0, LONG);
    tcase_add_loop_test(t, zero_clears_exactly_the_given_bytes, 0, LONG);
    tcase_add_test(t, is_same_compares_every_byte);
    tcase_add_test(t, no_bytes_need_no_address);
    suite_add_tcase(s, t);
    return s;
}
