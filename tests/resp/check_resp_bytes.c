/* SPDX-License-Identifier: MIT */
/* check_resp_bytes.c - copying, comparing, hashing and digits; the clang build tests the versions for -Os. */
#include "resp/resp_bytes.h"
#include "tests/suite.h"

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

/* The words of the hash's authors. */
START_TEST(hash_is_fnv_1a)
{
    ck_assert_uint_eq(rdl_hash(RDL_HASH_BASE, "", 0), 0x811c9dc5u);
    ck_assert_uint_eq(rdl_hash(RDL_HASH_BASE, "a", 1), 0xe40c292cu);
    ck_assert_uint_eq(rdl_hash(RDL_HASH_BASE, "foobar", 6), 0xbf9cf968u);
    ck_assert_uint_eq(rdl_hash(rdl_hash(RDL_HASH_BASE, "foo", 3), "bar", 3), 0xbf9cf968u);
}
END_TEST

START_TEST(every_character_is_a_hex_digit_or_none)
{
    static const char lower[] = "0123456789abcdef", upper[] = "0123456789ABCDEF";
    char c = (char)_i;
    const char *in_lower = c != '\0' ? strchr(lower, c) : NULL;
    const char *in_upper = c != '\0' ? strchr(upper, c) : NULL;
    int expected = -1;

    if (in_lower != NULL)
        expected = (int)(in_lower - lower);
    else if (in_upper != NULL)
        expected = (int)(in_upper - upper);
    ck_assert_int_eq(rdl_hex_value(c), expected);
    ck_assert_int_eq(rdl_hex_digit((unsigned)_i), lower[_i % 16]);
}
END_TEST

START_TEST(prefix_is_compared_completely)
{
    static const char text[] = "NOSCRIPT No matching";

    ck_assert_int_eq(rdl_has_prefix(text, "NOSCRIPT"), 8);
    ck_assert_int_eq(rdl_has_prefix(text, text), (int)strlen(text));
    ck_assert_int_eq(rdl_has_prefix(text, "OK"), 0);
    ck_assert_int_eq(rdl_has_prefix("NOSCRIP", "NOSCRIPT"), 0);
    ck_assert_int_eq(rdl_has_prefix("", "NOSCRIPT"), 0);
    ck_assert_int_eq(rdl_has_prefix("XOSCRIPT", "NOSCRIPT"), 0);
    ck_assert_int_eq(rdl_has_prefix("NOSCRIPX", "NOSCRIPT"), 0);
}
END_TEST

Suite *suite_resp_bytes(void)
{
    Suite *s = suite_create("resp_bytes");
    TCase *t = suite_case(s, "resp_bytes", NULL, NULL);

    tcase_add_loop_test(t, copy_writes_exactly_the_given_bytes, 0, LONG);
    tcase_add_loop_test(t, copy_may_move_bytes_towards_the_front, 0, LONG);
    tcase_add_loop_test(t, zero_clears_exactly_the_given_bytes, 0, LONG);
    tcase_add_test(t, is_same_compares_every_byte);
    tcase_add_test(t, no_bytes_need_no_address);
    tcase_add_test(t, hash_is_fnv_1a);
    tcase_add_loop_test(t, every_character_is_a_hex_digit_or_none, 0, 256);
    tcase_add_test(t, prefix_is_compared_completely);
    return s;
}
