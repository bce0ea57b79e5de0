/* SPDX-License-Identifier: MIT */
/* check_resp_parse.c - the parser's events and results. */
#include "resp/resp.h"
#include "tests/suite.h"

#include <stdio.h>
#include <string.h>

static struct rdl_resp parser;
static struct rdl_resp_event ev;
static size_t used;

static void setup(void)
{
    rdl_resp_init(&parser);
    memset(&ev, 0x55, sizeof ev);
    used = SIZE_MAX;
}

/* One call; the input is a literal. */
static int next_of(const char *s, size_t len)
{
    return rdl_resp_next(&parser, (const uint8_t *)s, len, &used, &ev);
}
#define NEXT(literal) next_of(literal, sizeof(literal) - 1)

static void expect_text(enum rdl_resp_kind kind, const char *text, int first, int last, int end)
{
    ck_assert_int_eq(ev.kind, kind);
    ck_assert_int_eq(ev.type, kind == RDL_RESP_STATUS ? '+' : kind == RDL_RESP_ERROR ? '-' : '$');
    ck_assert_uint_eq(ev.len, strlen(text));
    ck_assert_mem_eq(ev.data, text, ev.len);
    ck_assert_int_eq(ev.first, first);
    ck_assert_int_eq(ev.last, last);
    ck_assert_int_eq(ev.end, end);
}

static void expect_number(enum rdl_resp_kind kind, char type, int64_t value, int end)
{
    ck_assert_int_eq(ev.kind, kind);
    ck_assert_int_eq(ev.type, type);
    ck_assert_int_eq(ev.value, value);
    ck_assert_uint_eq(ev.len, 0);
    ck_assert_int_eq(ev.first, 1);
    ck_assert_int_eq(ev.last, 1);
    ck_assert_int_eq(ev.end, end);
}

START_TEST(whole_values_are_one_event_each)
{
    ck_assert_int_eq(NEXT("+OK\r\n"), RDL_OK);
    ck_assert_uint_eq(used, 5);
    expect_text(RDL_RESP_STATUS, "OK", 1, 1, 1);
    ck_assert_int_eq(ev.value, 0);
    ck_assert_int_eq(NEXT("-ERR no\r\n"), RDL_OK);
    expect_text(RDL_RESP_ERROR, "ERR no", 1, 1, 1);
    ck_assert_int_eq(NEXT("$3\r\na\nb\r\n"), RDL_OK);
    ck_assert_uint_eq(used, 9);
    expect_text(RDL_RESP_BULK, "a\nb", 1, 1, 1);
    ck_assert_int_eq(ev.value, 3);
    ck_assert_int_eq(NEXT(":29999\r\n"), RDL_OK);
    ck_assert_uint_eq(used, 8);
    expect_number(RDL_RESP_INT, ':', 29999, 1);
    ck_assert_int_eq(NEXT("$-1\r\n"), RDL_OK);
    expect_number(RDL_RESP_NIL, '$', -1, 1);
    ck_assert_int_eq(NEXT("*-1\r\n"), RDL_OK);
    expect_number(RDL_RESP_NIL, '*', -1, 1);
    ck_assert_int_eq(NEXT("*0\r\n"), RDL_OK);
    expect_number(RDL_RESP_ARRAY, '*', 0, 1);
}
END_TEST

START_TEST(empty_texts_are_one_empty_event)
{
    ck_assert_int_eq(NEXT("+\r\n"), RDL_OK);
    expect_text(RDL_RESP_STATUS, "", 1, 1, 1);
    ck_assert_int_eq(NEXT("$0\r\n\r\n"), RDL_OK);
    expect_text(RDL_RESP_BULK, "", 1, 1, 1);
    ck_assert_int_eq(NEXT("-\r"), RDL_PENDING);
    ck_assert_int_eq(NEXT("\n"), RDL_OK);
    expect_text(RDL_RESP_ERROR, "", 1, 1, 1);
}
END_TEST

START_TEST(cut_texts_come_in_fragments_first_to_last)
{
    ck_assert_int_eq(NEXT("+O"), RDL_OK);
    ck_assert_uint_eq(used, 2);
    expect_text(RDL_RESP_STATUS, "O", 1, 0, 0);
    ck_assert_int_eq(NEXT("K"), RDL_OK);
    expect_text(RDL_RESP_STATUS, "K", 0, 0, 0);
    ck_assert_int_eq(NEXT("AY\r"), RDL_OK);
    ck_assert_uint_eq(used, 3);
    expect_text(RDL_RESP_STATUS, "AY", 0, 0, 0);
    ck_assert_int_eq(NEXT("\n:1\r\n"), RDL_OK);
    ck_assert_uint_eq(used, 1);
    expect_text(RDL_RESP_STATUS, "", 0, 1, 1);
}
END_TEST

START_TEST(every_fragment_of_a_bulk_has_the_whole_length)
{
    ck_assert_int_eq(NEXT("$6\r\nfo"), RDL_OK);
    ck_assert_uint_eq(used, 6);
    expect_text(RDL_RESP_BULK, "fo", 1, 0, 0);
    ck_assert_int_eq(ev.value, 6);
    ck_assert_int_eq(NEXT("obar"), RDL_OK);
    expect_text(RDL_RESP_BULK, "obar", 0, 0, 0);
    ck_assert_int_eq(ev.value, 6);
    ck_assert_int_eq(NEXT("\r"), RDL_PENDING);
    ck_assert_int_eq(NEXT("\n"), RDL_OK);
    expect_text(RDL_RESP_BULK, "", 0, 1, 1);
    ck_assert_int_eq(ev.value, 6);
}
END_TEST

START_TEST(fragments_point_into_the_callers_buffer)
{
    static const char input[] = "$5\r\nhello\r\n";

    ck_assert_int_eq(next_of(input, 11), RDL_OK);
    ck_assert_ptr_eq(ev.data, input + 4);
    rdl_resp_init(&parser);
    ck_assert_int_eq(next_of(input, 7), RDL_OK);
    ck_assert_int_eq(next_of(input + 7, 4), RDL_OK);
    ck_assert_ptr_eq(ev.data, input + 7);
}
END_TEST

START_TEST(pending_uses_all_and_an_empty_input_changes_nothing)
{
    static const char reply[] = "*2\r\n$-1\r\n:-12\r\n";
    size_t i;

    ck_assert_int_eq(rdl_resp_next(&parser, NULL, 0, &used, &ev), RDL_PENDING);
    ck_assert_uint_eq(used, 0);
    for (i = 0; i < sizeof reply - 1; i++) {
        ck_assert_int_eq(next_of(reply + i, 1), i == 3 || i == 8 || i == 14 ? RDL_OK : RDL_PENDING);
        ck_assert_uint_eq(used, 1);
        ck_assert_int_eq(rdl_resp_next(&parser, NULL, 0, &used, &ev), RDL_PENDING);
        ck_assert_uint_eq(used, 0);
    }
    expect_number(RDL_RESP_INT, ':', -12, 1);
}
END_TEST

START_TEST(a_reply_ends_with_the_last_value_of_its_last_array)
{
    static const char *const values[] = {"*3\r\n",  "*2\r\n", ":1\r\n",     "*0\r\n",
                                         "*-1\r\n", "*1\r\n", "$1\r\nx\r\n"};
    size_t i;
    int round;

    for (round = 0; round < 2; round++)
        for (i = 0; i < 7; i++) {
            ck_assert_int_eq(next_of(values[i], strlen(values[i])), RDL_OK);
            ck_assert_int_eq(ev.last, 1);
            ck_assert_int_eq(ev.end, i == 6);
        }
}
END_TEST

START_TEST(depth_costs_nothing)
{
    long i;

    for (i = 0; i < RDL_VALUES_MAX; i++) {
        if (NEXT("*1\r\n") != RDL_OK || ev.end)
            ck_abort_msg("at depth %ld", i);
    }
    ck_assert_int_eq(NEXT(":7\r\n"), RDL_OK);
    expect_number(RDL_RESP_INT, ':', 7, 1);
}
END_TEST

START_TEST(integers_are_read_over_the_whole_int64_range)
{
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {{":0\r\n", 0},
                {":9\r\n", 9},
                {":-1\r\n", -1},
                {":-9\r\n", -9},
                {":10\r\n", 10},
                {":-100\r\n", -100},
                {":1234567890123456789\r\n", INT64_C(1234567890123456789)},
                {":9223372036854775807\r\n", INT64_MAX},
                {":9223372036854775799\r\n", INT64_C(9223372036854775799)},
                {":-9223372036854775807\r\n", -INT64_MAX},
                {":-9223372036854775808\r\n", INT64_MIN}};
    size_t i;

    for (i = 0; i < sizeof good / sizeof good[0]; i++) {
        ck_assert_int_eq(next_of(good[i].text, strlen(good[i].text)), RDL_OK);
        expect_number(RDL_RESP_INT, ':', good[i].value, 1);
    }
}
END_TEST

/* Invalid input and the offset of its first wrong byte. Another protocol fails on its first byte. */
static const struct {
    const char *text;
    size_t offset;
    int result;
} bad[] = {{"HTTP/1.1 400 Bad Request\r\n", 0, RDL_E_SYNTAX},
           {"\x15\x03\x01", 0, RDL_E_SYNTAX},
           {"SSH-2.0-x\r\n", 0, RDL_E_SYNTAX},
           {",1.5\r\n", 0, RDL_E_SYNTAX},
           {"+a\nb\r\n", 2, RDL_E_SYNTAX},
           {"+a\rb\r\n", 3, RDL_E_SYNTAX},
           {":-0\r\n", 2, RDL_E_SYNTAX},
           {":--1\r\n", 2, RDL_E_SYNTAX},
           {":-\r\n", 2, RDL_E_SYNTAX},
           {":\r\n", 1, RDL_E_SYNTAX},
           {":+1\r\n", 1, RDL_E_SYNTAX},
           {":01\r\n", 2, RDL_E_SYNTAX},
           {":1:\r\n", 2, RDL_E_SYNTAX},
           {":1/\r\n", 2, RDL_E_SYNTAX},
           {":/\r\n", 1, RDL_E_SYNTAX},
           {":1\n", 2, RDL_E_SYNTAX},
           {":1\rx", 3, RDL_E_SYNTAX},
           {":9223372036854775808\r\n", 19, RDL_E_SYNTAX},
           {":-9223372036854775809\r\n", 20, RDL_E_SYNTAX},
           {":10000000000000000000\r\n", 20, RDL_E_SYNTAX},
           {":92233720368547758070\r\n", 20, RDL_E_SYNTAX},
           {"$-2\r\n", 2, RDL_E_SYNTAX},
           {"$-0\r\n", 2, RDL_E_SYNTAX},
           {"$-10\r\n", 3, RDL_E_SYNTAX},
           {"*-11\r\n", 3, RDL_E_SYNTAX},
           {"$--1\r\n", 2, RDL_E_SYNTAX},
           {"$3\r\nabcd\r\n", 7, RDL_E_SYNTAX},
           {"$3\r\nabc\r\r", 8, RDL_E_SYNTAX},
           {"$0\r\nx", 4, RDL_E_SYNTAX},
           {"$536870913\r\n", 11, RDL_E_LIMIT},
           {"$9223372036854775807\r\n", 21, RDL_E_LIMIT},
           {"*1048577\r\n", 9, RDL_E_LIMIT},
           {"*4294967297\r\n", 12, RDL_E_LIMIT}};

START_TEST(an_error_is_reported_at_its_first_byte_and_stays)
{
    const char *text = bad[_i].text;
    size_t offset = bad[_i].offset;
    size_t i;

    ck_assert_int_eq(next_of(text, strlen(text)), bad[_i].result);
    ck_assert_uint_eq(used, offset);
    ck_assert_int_eq(NEXT("+OK\r\n"), bad[_i].result);
    ck_assert_uint_eq(used, 0);
    ck_assert_int_eq(next_of(NULL, 0), bad[_i].result);

    rdl_resp_init(&parser);
    for (i = 0; i < offset; i++)
        ck_assert_int_ge(next_of(text + i, 1), RDL_OK);
    ck_assert_int_eq(next_of(text + offset, 1), bad[_i].result);
    ck_assert_uint_eq(used, 0);
    rdl_resp_init(&parser);
    ck_assert_int_eq(NEXT("+OK\r\n"), RDL_OK);
}
END_TEST

START_TEST(the_limits_themselves_are_accepted)
{
    ck_assert_int_eq(NEXT("$536870912\r\n"), RDL_PENDING);
    rdl_resp_init(&parser);
    ck_assert_int_eq(NEXT("*1048576\r\n"), RDL_OK);
    expect_number(RDL_RESP_ARRAY, '*', RDL_VALUES_MAX, 0);
}
END_TEST

START_TEST(limit_of_array_values_is_per_reply)
{
    int round;
    int i;

    for (round = 0; round < 2; round++) {
        ck_assert_int_eq(NEXT("*2\r\n"), RDL_OK);
        ck_assert_int_eq(NEXT("*1048574\r\n"), RDL_OK);
        for (i = 0; i < 1048575; i++)
            if (NEXT(":1\r\n") != RDL_OK || ev.end != (i == 1048574))
                ck_abort_msg("value %d", i);
    }
    ck_assert_int_eq(NEXT("*2\r\n"), RDL_OK);
    ck_assert_int_eq(NEXT("*1048575\r\n"), RDL_E_LIMIT);
    ck_assert_uint_eq(used, 9);
}
END_TEST

START_TEST(kilobytes_pass_through_a_buffer_of_sixteen_bytes)
{
    char reply[6000];
    char got[6000];
    size_t len = (size_t)sprintf(reply, "$5000\r\n");
    size_t at = 0;
    size_t n = 0;
    int ends = 0;

    memset(reply + len, 'x', 5000);
    memcpy(reply + len + 5000, "\r\n", 3);
    while (at < len + 5002) {
        char chunk[16];
        size_t size = len + 5002 - at < sizeof chunk ? len + 5002 - at : sizeof chunk;

        memcpy(chunk, reply + at, size);
        if (next_of(chunk, size) == RDL_OK) {
            memcpy(got + n, ev.data, ev.len);
            n += ev.len;
            ends += ev.end;
        }
        at += used;
    }
    ck_assert_uint_eq(n, 5000);
    ck_assert_mem_eq(got, reply + len, 5000);
    ck_assert_int_eq(ends, 1);
}
END_TEST

START_TEST(the_state_is_small_and_may_be_copied)
{
    struct rdl_resp copy;

    ck_assert_uint_le(sizeof parser, 40);
    ck_assert_int_eq(NEXT("*2\r\n"), RDL_OK);
    ck_assert_int_eq(NEXT("$4\r\nab"), RDL_OK);
    copy = parser;
    rdl_resp_init(&parser);
    parser = copy;
    ck_assert_int_eq(NEXT("cd\r\n"), RDL_OK);
    expect_text(RDL_RESP_BULK, "cd", 0, 1, 0);
    ck_assert_int_eq(NEXT(":1\r\n"), RDL_OK);
    expect_number(RDL_RESP_INT, ':', 1, 1);
}
END_TEST

/* Nothing of an earlier state remains, so equal inputs give equal states. */
START_TEST(init_leaves_nothing_of_an_earlier_state)
{
    static const struct rdl_resp zero;

    memset(&parser, 0x55, sizeof parser);
    rdl_resp_init(&parser);
    ck_assert_mem_eq(&parser, &zero, sizeof parser);
}
END_TEST

Suite *suite_resp_parse(void)
{
    Suite *s = suite_create("resp_parse");
    TCase *t = suite_case(s, "resp_parse", setup, NULL);

    tcase_add_test(t, whole_values_are_one_event_each);
    tcase_add_test(t, empty_texts_are_one_empty_event);
    tcase_add_test(t, cut_texts_come_in_fragments_first_to_last);
    tcase_add_test(t, every_fragment_of_a_bulk_has_the_whole_length);
    tcase_add_test(t, fragments_point_into_the_callers_buffer);
    tcase_add_test(t, pending_uses_all_and_an_empty_input_changes_nothing);
    tcase_add_test(t, a_reply_ends_with_the_last_value_of_its_last_array);
    tcase_add_test(t, depth_costs_nothing);
    tcase_add_test(t, integers_are_read_over_the_whole_int64_range);
    tcase_add_loop_test(t, an_error_is_reported_at_its_first_byte_and_stays, 0,
                        (int)(sizeof bad / sizeof bad[0]));
    tcase_add_test(t, the_limits_themselves_are_accepted);
    tcase_add_test(t, limit_of_array_values_is_per_reply);
    tcase_add_test(t, kilobytes_pass_through_a_buffer_of_sixteen_bytes);
    tcase_add_test(t, the_state_is_small_and_may_be_copied);
    tcase_add_test(t, init_leaves_nothing_of_an_earlier_state);
    return s;
}
