/* SPDX-License-Identifier: MIT */
/* check_lock_arithmetic.c - the arithmetic of leases, argument checks, tokens. Rules R1 and R34. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lock/lock_lease.h"
#include "lock/lock_op.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

static const struct {
    uint32_t ttl, drift;
} drifts[] = {{0, 2},
              {1, 3},
              {99, 3},
              {100, 3},
              {101, 4},
              {200, 4},
              {1000, 12},
              {9999, 102},
              {10000, 102},
              {10001, 103},
              {30000, 302},
              {60001, 603},
              {3600000, 36002},
              {RDL_TTL_MAX, 21474839},
              {UINT32_MAX, 42949675}};

START_TEST(drift_is_one_percent_rounded_up_and_two_ms)
{
    ck_assert_uint_eq(rdl_drift_ms(drifts[_i].ttl), drifts[_i].drift);
}
END_TEST

START_TEST(the_expiry_of_a_counter_does_not_wrap)
{
    static const struct rdl_lock_options opt = {.fence_expiry_ms = UINT32_MAX - 5};
    static const char *const ends[] = {"7 4294967294", "7 4294967295", "7 4294967295"};
    char out[RDL_EXTRA_MAX];
    size_t n = rdl_fence_extra(out, 7, &opt, 4 + (uint32_t)_i);

    ck_assert_uint_eq(n, strlen(ends[_i]));
    ck_assert_mem_eq(out, ends[_i], n);
}
END_TEST

START_TEST(attempt_is_a_twentieth_of_the_ttl_within_limits)
{
    static const uint32_t ttl[] = {0, 1, 20, 99, 100, 119, 120, 4999, 5000, 5020, RDL_TTL_MAX};
    static const uint32_t ms[] = {250, 5, 5, 5, 5, 5, 6, 249, 250, 250, 250};
    struct rdl_lock_options opt = {.ttl_ms = ttl[_i]};

    ck_assert_uint_eq(rdl_attempt_ms(&opt), ms[_i]);
    opt.attempt_ms = 1;
    ck_assert_uint_eq(rdl_attempt_ms(&opt), 1);
    opt.attempt_ms = 70000;
    ck_assert_uint_eq(rdl_attempt_ms(&opt), 70000);
}
END_TEST

static const struct {
    uint32_t ttl, attempt, rtt, ms;
} trips[] = {
    {10000, 0, 0, 250},
    {10000, 0, 1, 250},
    {10000, 0, 83, 250},
    {10000, 0, 84, 252},
    {10000, 0, 261, 783},
    {10000, 0, 833, 2500},
    {10000, 0, 834, 2500},
    {10000, 0, UINT32_MAX, 2500},
    {30000, 0, 1001, 3003},
    {100, 0, 2, 6},
    {100, 0, 1000, 25},
    {20, 0, 1000, 5},
    {RDL_TTL_MAX, 0, UINT32_MAX, RDL_TTL_MAX / 4},
    {0, 0, 1001, 3003}, /* as of 30 s */
    {0, 0, UINT32_MAX, 7500},
    {10000, 30, 1000, 30}, /* the caller's value applies */
    {10000, 2500, 1, 2500},
};

START_TEST(attempt_is_three_round_trips_up_to_a_quarter_ttl)
{
    struct rdl_lock_options opt = {.ttl_ms = trips[_i].ttl, .attempt_ms = trips[_i].attempt};

    ck_assert_uint_eq(rdl_attempt_ms_for_rtt(&opt, trips[_i].rtt), trips[_i].ms);
}
END_TEST

static const struct {
    uint32_t ttl, attempt;
    int result;
} ttls[] = {
    {0, 0, RDL_OK},
    {0, 7500, RDL_OK},
    {0, 7501, RDL_E_TTL},
    {1, 0, RDL_E_TTL},
    {19, 0, RDL_E_TTL},
    {20, 0, RDL_OK},
    {21, 0, RDL_OK},
    {999, 250, RDL_E_TTL},
    {1000, 250, RDL_OK},
    {RDL_TTL_MAX, 0, RDL_OK},
    {RDL_TTL_MAX + 1u, 0, RDL_E_TTL},
    {4, 1, RDL_OK},
    {3, 1, RDL_E_TTL},
    {UINT32_MAX, 0, RDL_E_TTL},
    {1000, UINT32_MAX, RDL_E_TTL},
};

START_TEST(ttl_is_at_least_four_attempts_and_at_most_31_bits)
{
    struct rdl_lock_options opt = {.ttl_ms = ttls[_i].ttl, .attempt_ms = ttls[_i].attempt};

    if (opt.ttl_ms != 0) /* an extend has no default */
        ck_assert_int_eq(rdl_ttl_check(&opt, opt.ttl_ms), ttls[_i].result);
    ck_assert_int_eq(rdl_options_check(&opt, 1), ttls[_i].result);
    ck_assert_int_eq(rdl_options_check(&opt, 0), RDL_E_NAME);
}
END_TEST

START_TEST(extension_never_shortens_the_lease)
{
    uint64_t now = (uint64_t)UINT32_MAX + 7;

    ck_assert_uint_eq(rdl_ttl_longest(1000, now + 999, now), 1000);
    ck_assert_uint_eq(rdl_ttl_longest(1000, now + 1001, now), 1001);
    ck_assert_uint_eq(rdl_ttl_longest(1000, now, now), 1000);
    ck_assert_uint_eq(rdl_ttl_longest(1000, 0, now), 1000);
    ck_assert_uint_eq(rdl_ttl_longest(1, now + RDL_TTL_MAX, now), RDL_TTL_MAX);
}
END_TEST

START_TEST(lock_name_has_1_to_128_bytes)
{
    struct rdl_lock_options opt = {.ttl_ms = 1000};

    ck_assert_int_eq(rdl_options_check(&opt, 0), RDL_E_NAME);
    ck_assert_int_eq(rdl_options_check(&opt, 1), RDL_OK);
    ck_assert_int_eq(rdl_options_check(&opt, 128), RDL_OK);
    ck_assert_int_eq(rdl_options_check(&opt, 129), RDL_E_NAME);
    ck_assert_int_eq(rdl_options_check(&opt, 257), RDL_E_NAME);
}
END_TEST

START_TEST(waiting_needs_a_limit_and_a_pause)
{
    struct rdl_lock_options opt = {.ttl_ms = 1000};

    ck_assert(rdl_is_one_attempt(&opt));
    ck_assert_uint_eq(rdl_give_up_ms(&opt, 300, 5), 305);
    opt.wait_ms = 70;
    ck_assert(rdl_is_one_attempt(&opt));
    opt.retry_ms = 1;
    ck_assert(!rdl_is_one_attempt(&opt));
    ck_assert_uint_eq(rdl_give_up_ms(&opt, 300, UINT32_MAX), (uint64_t)UINT32_MAX + 70);
    opt.wait_ms = RDL_WAIT_FOREVER;
    ck_assert(!rdl_is_one_attempt(&opt));
    ck_assert_uint_eq(rdl_give_up_ms(&opt, 300, 5), UINT64_MAX);
    opt.wait_ms = 0;
    ck_assert(rdl_is_one_attempt(&opt));
}
END_TEST

static const char *hex_of(const struct rdl_token *t)
{
    static char hex[RDL_VALUE_MAX + 1];

    rdl_token_hex(t, hex);
    return hex;
}

START_TEST(token_is_entropy_and_a_counter)
{
    struct rdl_token t = {{0}};
    unsigned n;

    rdl_token_begin(&t, entropy_bytes());
    ck_assert_str_eq(hex_of(&t), entropy_token(0));
    for (n = 1; n < 70000; n++) {
        rdl_token_next(&t);
        if (n < 300 || n % 256 < 2 || n > 65530)
            ck_assert_str_eq(hex_of(&t), entropy_token(n));
    }
}
END_TEST

START_TEST(token_counter_never_overflows_into_the_entropy)
{
    struct rdl_token t = {{0}};

    rdl_token_begin(&t, entropy_bytes());
    memset(t.bytes + RDL_ENTROPY_LEN, 0xff, RDL_TOKEN_LEN - RDL_ENTROPY_LEN);
    rdl_token_next(&t);
    ck_assert_str_eq(hex_of(&t), entropy_token(0));
}
END_TEST

/* A board may return the same bytes except for a counter at either end, or the same bytes by mistake. */
START_TEST(token_counter_continues_with_new_entropy)
{
    struct rdl_token t = {{0}};
    const uint8_t other[RDL_ENTROPY_LEN] = {9, 8, 7};

    rdl_token_begin(&t, entropy_bytes());
    rdl_token_next(&t);
    rdl_token_begin(&t, other);
    rdl_token_next(&t);
    ck_assert_str_eq(hex_of(&t), "09080700000000000000000000000000"
                                 "00000002");
    rdl_token_begin(&t, entropy_bytes());
    rdl_token_next(&t);
    ck_assert_str_eq(hex_of(&t), entropy_token(3));
}
END_TEST

START_TEST(every_byte_of_the_entropy_affects_the_seed)
{
    uint8_t bytes[RDL_ENTROPY_LEN];
    uint32_t seeds[RDL_ENTROPY_LEN];
    int i, k;

    for (i = 0; i < RDL_ENTROPY_LEN; i++) {
        memcpy(bytes, entropy_bytes(), sizeof bytes);
        bytes[i] ^= 1;
        seeds[i] = rdl_token_seed(bytes);
        ck_assert_uint_ne(seeds[i], rdl_token_seed(entropy_bytes()));
        for (k = 0; k < i; k++)
            ck_assert_uint_ne(seeds[i], seeds[k]);
    }
}
END_TEST

START_TEST(plain_action_has_its_op)
{
    ck_assert_ptr_eq(rdl_plain_ops[RDL_ACQUIRE], &rdl_op_acquire);
    ck_assert_ptr_eq(rdl_plain_ops[RDL_EXTEND], &rdl_op_extend);
    ck_assert_ptr_eq(rdl_plain_ops[RDL_RELEASE], &rdl_op_release);
}
END_TEST

static void written(uint64_t v)
{
    char expected[RDL_DEC64_MAX + 1], out[RDL_DEC64_MAX];
    size_t len = (size_t)snprintf(expected, sizeof expected, "%" PRIu64, v);

    ck_assert_uint_eq(rdl_dec_u64(out, v), len);
    ck_assert_mem_eq(out, expected, len);
}

START_TEST(numbers_of_64_bits_are_written_in_decimal)
{
    uint64_t power = 1;
    uint64_t v;
    int i;

    for (i = 0; i < 20; i++, power *= 10) {
        written(power - 1);
        written(power);
        written(power * 9 / 7);
        written(UINT64_MAX >> 3 * i);
    }
    for (v = 0; v < 5000; v++)
        written(v * v * 1700000001);
}
END_TEST

Suite *suite_lock_arithmetic(void)
{
    Suite *suite = suite_create("lock_arithmetic");
    TCase *tc = suite_case(suite, "util", NULL, NULL);

    tcase_add_loop_test(tc, drift_is_one_percent_rounded_up_and_two_ms, 0, sizeof drifts / sizeof drifts[0]);
    tcase_add_loop_test(tc, the_expiry_of_a_counter_does_not_wrap, 0, 3);
    tcase_add_loop_test(tc, attempt_is_a_twentieth_of_the_ttl_within_limits, 0, 11);
    tcase_add_loop_test(tc, attempt_is_three_round_trips_up_to_a_quarter_ttl, 0,
                        sizeof trips / sizeof trips[0]);
    tcase_add_loop_test(tc, ttl_is_at_least_four_attempts_and_at_most_31_bits, 0,
                        sizeof ttls / sizeof ttls[0]);
    tcase_add_test(tc, extension_never_shortens_the_lease);
    tcase_add_test(tc, lock_name_has_1_to_128_bytes);
    tcase_add_test(tc, waiting_needs_a_limit_and_a_pause);
    tcase_add_test(tc, token_is_entropy_and_a_counter);
    tcase_add_test(tc, token_counter_never_overflows_into_the_entropy);
    tcase_add_test(tc, token_counter_continues_with_new_entropy);
    tcase_add_test(tc, every_byte_of_the_entropy_affects_the_seed);
    tcase_add_test(tc, plain_action_has_its_op);
    tcase_add_test(tc, numbers_of_64_bits_are_written_in_decimal);
    return suite;
}
