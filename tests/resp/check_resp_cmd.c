/* SPDX-License-Identifier: MIT */
/* check_resp_cmd.c - every command's bytes, and that a command is written whole or not at all. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "resp/resp.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BUF_MAX = 1 << 17, MIB = 1 << 20 };
static uint8_t buf[BUF_MAX];
static struct rdl_writer w;

static void setup(void)
{
    memset(buf, 0x55, sizeof buf);
    rdl_writer_init(&w, buf, sizeof buf);
}

static struct rdl_bytes bytes(const char *s)
{
    struct rdl_bytes b = {s, strlen(s)};

    return b;
}

static const char *hex_token = "0123456789abcdef0123456789abcdef01234567";

/* ---------------------------------------------------------------- one call of every command */

static int call_auth(struct rdl_writer *to)
{
    return rdl_cmd_auth(to, bytes(""), bytes("secret"));
}
static int call_auth_user(struct rdl_writer *to)
{
    return rdl_cmd_auth(to, bytes("alice"), bytes("secret"));
}
static int call_select(struct rdl_writer *to)
{
    return rdl_cmd_select(to, 15);
}
static int call_setname(struct rdl_writer *to)
{
    return rdl_cmd_client_setname(to, bytes("worker-7"));
}
static int call_set(struct rdl_writer *to)
{
    return rdl_cmd_set_nx_px(to, bytes("orders:17"), bytes(hex_token), 30000);
}
static int call_pttl(struct rdl_writer *to)
{
    return rdl_cmd_pttl(to, bytes("orders:17"));
}
static int call_release(struct rdl_writer *to)
{
    const struct rdl_bytes argv[] = {bytes("orders:17"), bytes("tok")};

    return rdl_cmd_evalsha(to, &rdl_script_release, argv);
}
static int call_extend(struct rdl_writer *to)
{
    const struct rdl_bytes argv[] = {bytes("orders:17"), bytes("tok"), bytes("30000")};

    return rdl_cmd_evalsha(to, &rdl_script_extend, argv);
}
static int call_eval_head(struct rdl_writer *to)
{
    return rdl_cmd_eval_head(to, &rdl_script_release);
}
static int call_eval_tail(struct rdl_writer *to)
{
    const struct rdl_bytes argv[] = {bytes("orders:17"), bytes("tok")};

    return rdl_cmd_eval_tail(to, &rdl_script_release, argv);
}

static const struct {
    int (*call)(struct rdl_writer *);
    const char *wire;
} commands[] = {
    {call_auth, "*2\r\n$4\r\nAUTH\r\n$6\r\nsecret\r\n"},
    {call_auth_user, "*3\r\n$4\r\nAUTH\r\n$5\r\nalice\r\n$6\r\nsecret\r\n"},
    {call_select, "*2\r\n$6\r\nSELECT\r\n$2\r\n15\r\n"},
    {call_setname, "*3\r\n$6\r\nCLIENT\r\n$7\r\nSETNAME\r\n$8\r\nworker-7\r\n"},
    {call_set, "*6\r\n$3\r\nSET\r\n$9\r\norders:17\r\n$40\r\n0123456789abcdef0123456789abcdef01234567\r\n"
               "$2\r\nNX\r\n$2\r\nPX\r\n$5\r\n30000\r\n"},
    {call_pttl, "*2\r\n$4\r\nPTTL\r\n$9\r\norders:17\r\n"},
    {call_release, "*5\r\n$7\r\nEVALSHA\r\n$40\r\n405ff44962cd47e5aa852fc40f9e4817c685a7e4\r\n"
                   "$1\r\n1\r\n$9\r\norders:17\r\n$3\r\ntok\r\n"},
    {call_extend, "*6\r\n$7\r\nEVALSHA\r\n$40\r\n08268618273684dd4965e354b804771b81d04031\r\n"
                  "$1\r\n1\r\n$9\r\norders:17\r\n$3\r\ntok\r\n$5\r\n30000\r\n"},
    {call_eval_head, "*5\r\n$4\r\nEVAL\r\n$106\r\n"},
    {call_eval_tail, "\r\n$1\r\n1\r\n$9\r\norders:17\r\n$3\r\ntok\r\n"},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

START_TEST(the_bytes_of_a_command_are_its_template)
{
    size_t len = strlen(commands[_i].wire);

    ck_assert_int_eq(commands[_i].call(&w), RDL_OK);
    ck_assert_uint_eq(w.len, len);
    ck_assert_mem_eq(buf, commands[_i].wire, len);
    ck_assert_int_eq(buf[len], 0x55);
    ck_assert_int_eq(w.error, RDL_OK);
}
END_TEST

START_TEST(a_command_fits_exactly_or_writes_nothing)
{
    static const uint8_t before[] = {'#', 0x55, 0x55};
    size_t len = strlen(commands[_i].wire);
    size_t cap;
    size_t i;

    for (cap = 1; cap < len + 1; cap++) {
        setup();
        rdl_writer_init(&w, buf, cap);
        buf[0] = '#';
        w.len = 1;
        ck_assert_int_eq(commands[_i].call(&w), RDL_E_SPACE);
        ck_assert_int_eq(w.error, RDL_E_SPACE);
        ck_assert_uint_eq(w.len, 1);
        for (i = 0; i < len + 8; i++)
            if (buf[i] != before[i < 2 ? i : 2])
                ck_abort_msg("room for %zu: wrote byte %zu", cap, i);
    }
    setup();
    rdl_writer_init(&w, buf, len + 1);
    w.len = 1;
    ck_assert_int_eq(commands[_i].call(&w), RDL_OK);
    ck_assert_uint_eq(w.len, len + 1);
    ck_assert_mem_eq(buf + 1, commands[_i].wire, len);
    ck_assert_int_eq(buf[len + 1], 0x55);
}
END_TEST

START_TEST(the_error_is_sticky)
{
    rdl_writer_init(&w, buf, 40);
    ck_assert_int_eq(call_select(&w), RDL_OK);
    ck_assert_int_eq(call_set(&w), RDL_E_SPACE);
    ck_assert_uint_eq(w.len, 24);
    ck_assert_int_eq(call_eval_head(&w), RDL_E_SPACE);
    ck_assert_int_eq(rdl_cmd_multi(&w), RDL_E_SPACE); /* though it would fit */
    ck_assert_uint_eq(w.len, 24);
    ck_assert_int_eq(w.error, RDL_E_SPACE);
}
END_TEST

START_TEST(commands_follow_each_other_without_a_gap)
{
    size_t len = 0;
    int i;

    for (i = 0; i < COMMANDS; i++) {
        ck_assert_int_eq(commands[i].call(&w), RDL_OK);
        ck_assert_mem_eq(buf + len, commands[i].wire, strlen(commands[i].wire));
        len += strlen(commands[i].wire);
        ck_assert_uint_eq(w.len, len);
    }
}
END_TEST

/* ---------------------------------------------------------------- arguments of any kind */

START_TEST(keys_and_tokens_may_hold_any_byte)
{
    static const char wire[] = "*6\r\n$3\r\nSET\r\n$4\r\n\0\r\n$\r\n$2\r\n\xff\0\r\n"
                               "$2\r\nNX\r\n$2\r\nPX\r\n$1\r\n1\r\n";
    const struct rdl_bytes key = {"\0\r\n$", 4};
    const struct rdl_bytes token = {"\xff\0", 2};

    ck_assert_int_eq(rdl_cmd_set_nx_px(&w, key, token, 1), RDL_OK);
    ck_assert_uint_eq(w.len, sizeof wire - 1);
    ck_assert_mem_eq(buf, wire, w.len);
}
END_TEST

START_TEST(an_empty_argument_needs_no_address)
{
    const struct rdl_bytes none = {NULL, 0};

    ck_assert_int_eq(rdl_cmd_pttl(&w, none), RDL_OK);
    ck_assert_uint_eq(w.len, 20);
    ck_assert_mem_eq(buf, "*2\r\n$4\r\nPTTL\r\n$0\r\n\r\n", 20);
    ck_assert_int_eq(rdl_cmd_auth(&w, none, none), RDL_OK);
}
END_TEST

START_TEST(a_long_key_is_written_whole)
{
    static const char wire[] = "*2\r\n$4\r\nPTTL\r\n$100000\r\n";
    static char text[100000];
    const struct rdl_bytes key = {text, sizeof text};
    size_t head = sizeof wire - 1;

    memset(text, 'k', sizeof text);
    ck_assert_int_eq(rdl_cmd_pttl(&w, key), RDL_OK);
    ck_assert_uint_eq(w.len, head + 100002);
    ck_assert_mem_eq(buf, wire, head);
    ck_assert_mem_eq(buf + head, text, sizeof text);
    ck_assert_mem_eq(buf + head + sizeof text, "\r\n", 2);
}
END_TEST

/* The writer is told of more room than there is: a key that it took for writable would crash here. */
START_TEST(a_key_longer_than_a_server_takes_is_refused)
{
    const struct rdl_bytes longer = {"", (size_t)RDL_BULK_MAX + 1};
    const struct rdl_bytes wrapping = {"", SIZE_MAX};

    rdl_writer_init(&w, buf, SIZE_MAX);
    ck_assert_int_eq(rdl_cmd_pttl(&w, longer), RDL_E_SPACE);
    rdl_writer_init(&w, buf, SIZE_MAX);
    ck_assert_int_eq(rdl_cmd_set_nx_px(&w, bytes("k"), wrapping, 1), RDL_E_SPACE);
    ck_assert_uint_eq(w.len, 0);
    ck_assert_int_eq(buf[0], 0x55);
}
END_TEST

/* It is the length of the server's limit that is claimed, but there is no such room. */
START_TEST(a_key_of_the_greatest_length_is_a_matter_of_room)
{
    const struct rdl_bytes longest = {"", RDL_BULK_MAX};

    rdl_writer_init(&w, buf, sizeof buf);
    ck_assert_int_eq(rdl_cmd_pttl(&w, longest), RDL_E_SPACE);
    ck_assert_int_eq(buf[0], 0x55);
}
END_TEST

/*
 * 512 MiB and more of room, all of it the same MiB of a file, and a key that is all zero bytes: neither needs
 * memory.
 */
START_TEST(a_key_of_the_greatest_length_is_taken)
{
    static const char head[] = "*2\r\n$4\r\nPTTL\r\n$536870912\r\n";
    size_t room = (size_t)RDL_BULK_MAX + 2 * MIB;
    void *zero = mmap(NULL, RDL_BULK_MAX, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint8_t *to = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    FILE *f = tmpfile();
    size_t at;

    ck_assert(zero != MAP_FAILED && to != MAP_FAILED && f != NULL && ftruncate(fileno(f), MIB) == 0);
    for (at = 0; at < room; at += MIB)
        ck_assert(mmap(to + at, MIB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fileno(f), 0) ==
                  to + at);
    rdl_writer_init(&w, to, room);
    ck_assert_int_eq(rdl_cmd_pttl(&w, (struct rdl_bytes){zero, RDL_BULK_MAX}), RDL_OK);
    ck_assert_uint_eq(w.len, sizeof head - 1 + RDL_BULK_MAX + 2);
    ck_assert_mem_eq(to + w.len - 2, "\r\n", 2);
    munmap(to, room);
    munmap(zero, RDL_BULK_MAX);
    fclose(f);
}
END_TEST

START_TEST(a_call_counts_as_many_bulks_as_its_script_has_arguments)
{
    static const struct rdl_script script = {"return 1", 8, 2,
                                             7,          0, "0123456789012345678901234567890123456789"};
    const struct rdl_bytes argv[] = {bytes("a"), bytes("b"), bytes("c"), bytes("d"), bytes("e"),
                                     bytes("f"), bytes("g"), bytes("h"), bytes("i")};
    static const char head[] = "*12\r\n$7\r\nEVALSHA\r\n$40\r\n0123456789012345678901234567890123456789\r\n"
                               "$1\r\n2\r\n$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\n";

    ck_assert_int_eq(rdl_cmd_evalsha(&w, &script, argv), RDL_OK);
    ck_assert_mem_eq(buf, head, sizeof head - 1);
    ck_assert_uint_eq(w.len, sizeof head - 1 + 6 * 7);
    ck_assert_mem_eq(buf + w.len - 7, "$1\r\ni\r\n", 7);
    setup();
    ck_assert_int_eq(rdl_cmd_eval_head(&w, &script), RDL_OK);
    ck_assert_uint_eq(w.len, 19);
    ck_assert_mem_eq(buf, "*12\r\n$4\r\nEVAL\r\n$8\r\n", 19);
}
END_TEST

Suite *suite_resp_cmd(void);
Suite *suite_resp_cmd(void)
{
    Suite *s = suite_create("resp_cmd");
    TCase *t = tcase_create("resp_cmd");

    tcase_add_checked_fixture(t, setup, NULL);
    tcase_add_loop_test(t, the_bytes_of_a_command_are_its_template, 0, COMMANDS);
    tcase_add_loop_test(t, a_command_fits_exactly_or_writes_nothing, 0, COMMANDS);
    tcase_add_test(t, the_error_is_sticky);
    tcase_add_test(t, commands_follow_each_other_without_a_gap);
    tcase_add_test(t, keys_and_tokens_may_hold_any_byte);
    tcase_add_test(t, an_empty_argument_needs_no_address);
    tcase_add_test(t, a_long_key_is_written_whole);
    tcase_add_test(t, a_key_longer_than_a_server_takes_is_refused);
    tcase_add_test(t, a_key_of_the_greatest_length_is_a_matter_of_room);
    tcase_add_test(t, a_key_of_the_greatest_length_is_taken);
    tcase_add_test(t, a_call_counts_as_many_bulks_as_its_script_has_arguments);
    suite_add_tcase(s, t);
    return s;
}
