/* SPDX-License-Identifier: MIT */
/* check_resp_slice.c - writing any part of a command, and no byte outside of it. Rule R21. */
#include "resp/resp_template.h"
#include "tests/suite.h"

#include <stdio.h>
#include <string.h>

enum { BUF = 512, GUARD = 8, PAINT = 0x55 };
static uint8_t buf[BUF + 2 * GUARD];
static uint8_t *const inside = buf + GUARD;

/* A command with every kind of line and placeholder, its arguments, and the resulting bytes. */
static const char template[] = "*a$3\r\nSET\r\n$k$v$11\r\nreplication\r\n$m*1\r\n$4\r\nPTTL\r\n";
static const char wire[] = "*7\r\n$3\r\nSET\r\n$1\r\nx\r\n$0\r\n\r\n$10\r\n$k*a\0\r\n\xff$2\r\n$2\r\n\r\n\r\n"
                           "$11\r\nreplication\r\n$5\r\n30000\r\n*1\r\n$4\r\nPTTL\r\n";
enum { WIRE = sizeof wire - 1 };
static const char odd[] = "$k*a\0\r\n\xff$2";
static const struct rdl_bytes arg[] = {{"unused", 6}, {"x", 1},  {NULL, 0},   {odd, sizeof odd - 1},
                                       {"\r\n", 2},   {NULL, 7}, {"30000", 5}};
static const struct rdl_args args = {"ukkkvam", arg, sizeof arg / sizeof arg[0]};

static struct rdl_slice slice(size_t skip, size_t room)
{
    struct rdl_slice w;

    memset(&w, PAINT, sizeof w);
    rdl_slice_init(&w, inside, room, skip);
    memset(buf, PAINT, sizeof buf);
    return w;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Checks that [from, from + len) of the command was written, and that nothing else was touched. */
static void check_written(size_t from, size_t len)
{
    size_t i;

    ck_assert_uint_le(from + len, WIRE);
    ck_assert_mem_eq(inside, wire + from, len);
    for (i = 0; i < sizeof buf; i++) {
        if ((i < GUARD || i >= GUARD + len) && buf[i] != PAINT)
            ck_abort_msg("from %zu, %zu bytes: byte %zu was touched", from, len, i);
    }
}

START_TEST(command_is_the_template_with_its_arguments)
{
    struct rdl_slice w = slice(0, BUF);

    rdl_slice_write(&w, template, &args);
    ck_assert_uint_eq(w.total, WIRE);
    check_written(0, WIRE);
}
END_TEST

/* Every start with every amount of room. */
START_TEST(slice_writes_its_part_and_counts_all)
{
    size_t skip, room;

    for (skip = 0; skip <= WIRE + 2; skip++) {
        for (room = 0; room <= WIRE + 16; room++) {
            struct rdl_slice w = slice(skip, room);
            size_t left_out = least(skip, WIRE);
            size_t len = least(WIRE - left_out, room);

            rdl_slice_write(&w, template, &args);
            ck_assert_uint_eq(w.total, WIRE);
            ck_assert_uint_eq(w.skip, skip - left_out);
            ck_assert_uint_eq(w.room, room - len);
            ck_assert_ptr_eq(w.to, inside + len);
            check_written(left_out, len);
        }
    }
}
END_TEST

START_TEST(slices_of_any_size_join_to_the_command)
{
    size_t chunk;

    for (chunk = 1; chunk <= WIRE; chunk++) {
        static uint8_t sent[BUF];
        size_t len = 0;
        struct rdl_slice w;

        do {
            w = slice(len, chunk);
            rdl_slice_write(&w, template, &args);
            memcpy(sent + len, inside, chunk - w.room);
            len += chunk - w.room;
        } while (len < w.total);
        ck_assert_uint_eq(len, WIRE);
        ck_assert_mem_eq(sent, wire, len);
    }
}
END_TEST

START_TEST(slice_may_hold_several_commands)
{
    static const char *const commands[] = {"*1\r\n$4\r\nTIME\r\n", "*1\r\n$4\r\nEXEC\r\n", NULL};
    struct rdl_slice w = slice(5, 12);

    rdl_slice_write_all(&w, commands, &args);
    ck_assert_uint_eq(w.total, 28);
    ck_assert_mem_eq(inside, "4\r\nTIME\r\n*1\r", 12);
    ck_assert_int_eq(inside[12], PAINT);
}
END_TEST

/* The longest argument that a server accepts: reading any of it would crash. */
START_TEST(counted_bytes_are_not_read)
{
    const struct rdl_bytes longest = {"", RDL_BULK_MAX};
    const struct rdl_args one = {"k", &longest, 1};
    struct rdl_slice w = {NULL, 0, SIZE_MAX, 0};

    rdl_slice_write(&w, "*2\r\n$4\r\nPTTL\r\n$k", &one);
    ck_assert_uint_eq(w.total, strlen("*2\r\n$4\r\nPTTL\r\n$536870912\r\n\r\n") + RDL_BULK_MAX);
    ck_assert_uint_eq(w.skip, SIZE_MAX - w.total);
    w.skip = 0;
    rdl_slice_write(&w, "*2\r\n$4\r\nPTTL\r\n$k", &one);
    ck_assert_uint_eq(w.room, 0);
}
END_TEST

/* Lengths around each change in the number of digits, with exactly enough room and with a byte less. */
START_TEST(bulk_that_just_fits_is_written_whole)
{
    static const size_t lens[] = {0, 1, 9, 10, 99, 100, 101};
    static char text[128];
    size_t i, room;

    memset(text, 't', sizeof text);
    for (i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        const struct rdl_bytes bytes = {text, lens[i]};
        const struct rdl_args one = {"k", &bytes, 1};
        char expected[160];
        size_t len =
            (size_t)snprintf(expected, sizeof expected, "$%zu\r\n%.*s\r\n", lens[i], (int)lens[i], text);

        for (room = len - 1; room <= len + 12; room++) {
            struct rdl_slice w = slice(0, room);

            rdl_slice_write(&w, "$k", &one);
            ck_assert_uint_eq(w.total, len);
            ck_assert_uint_eq(w.room, room - least(len, room));
            ck_assert_mem_eq(inside, expected, least(len, room));
            ck_assert_int_eq(inside[least(len, room)], PAINT);
        }
    }
}
END_TEST

/* Twenty digits: the greatest 64-bit number. */
START_TEST(number_is_written_as_digits)
{
    const struct rdl_bytes number = {"18446744073709551615", 20};
    const struct rdl_args one = {"f", &number, 1};
    struct rdl_slice w = slice(0, BUF);

    rdl_slice_write(&w, "$f", &one);
    ck_assert_uint_eq(w.total, 27);
    ck_assert_mem_eq(inside, "$20\r\n18446744073709551615\r\n", 27);
}
END_TEST

START_TEST(missing_argument_writes_nothing)
{
    static const struct rdl_args none = {"", NULL, 0};
    struct rdl_slice w = slice(0, BUF);

    rdl_slice_write(&w, "*2\r\n$k$v", &none);
    ck_assert_uint_eq(w.total, 4);
    ck_assert_int_eq(inside[4], PAINT);
}
END_TEST

/* A list with room for more, such as the names of several locks. */
START_TEST(only_the_first_n_arguments_are_written)
{
    static const struct rdl_bytes names[] = {{"a", 1}, {"b", 1}, {"c", 1}};
    struct rdl_args some = {"kkk", names, 2};
    struct rdl_slice w = slice(0, BUF);

    rdl_slice_write(&w, "$k", &some);
    ck_assert_uint_eq(w.total, 14);
    ck_assert_mem_eq(inside, "$1\r\na\r\n$1\r\nb\r\n", 14);
    ck_assert_int_eq(inside[14], PAINT);
}
END_TEST

Suite *suite_resp_slice(void)
{
    Suite *s = suite_create("resp_slice");
    TCase *t = suite_case(s, "resp_slice", NULL, NULL);

    tcase_add_test(t, command_is_the_template_with_its_arguments);
    tcase_add_test(t, slice_writes_its_part_and_counts_all);
    tcase_add_test(t, slices_of_any_size_join_to_the_command);
    tcase_add_test(t, slice_may_hold_several_commands);
    tcase_add_test(t, counted_bytes_are_not_read);
    tcase_add_test(t, bulk_that_just_fits_is_written_whole);
    tcase_add_test(t, number_is_written_as_digits);
    tcase_add_test(t, missing_argument_writes_nothing);
    tcase_add_test(t, only_the_first_n_arguments_are_written);
    return s;
}
