/* SPDX-License-Identifier: MIT */
/* check_resp_cmd.c - every command's bytes, and that a command is written whole or not at all. */
#include "resp/resp.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

enum { BUF_MAX = 1 << 17 };
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

START_TEST(a_call_counts_as_many_bulks_as_its_script_has_arguments)
{
    static const struct rdl_script script = {"return 1", 8, 2, 7, "0123456789012345678901234567890123456789"};
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

/* What we send is RESP2 too: an array of bulks. So our own parser reads it back. */
static void read_back(const struct rdl_bytes *expected, size_t count)
{
    struct rdl_resp parser;
    struct rdl_resp_event ev;
    size_t at = 0;
    size_t used;
    size_t i;

    rdl_resp_init(&parser);
    ck_assert_int_eq(rdl_resp_next(&parser, buf, w.len, &used, &ev), RDL_OK);
    ck_assert_int_eq(ev.kind, RDL_RESP_ARRAY);
    ck_assert_int_eq(ev.value, (int64_t)count);
    for (i = 0; i < count; i++) {
        at += used;
        ck_assert_int_eq(rdl_resp_next(&parser, buf + at, w.len - at, &used, &ev), RDL_OK);
        ck_assert_int_eq(ev.kind, RDL_RESP_BULK);
        ck_assert_uint_eq(ev.len, expected[i].len);
        ck_assert_mem_eq(ev.data, expected[i].data, ev.len);
        ck_assert_int_eq(ev.end, i == count - 1);
    }
    ck_assert_uint_eq(at + used, w.len);
}

START_TEST(head_text_and_tail_of_an_eval_make_one_command)
{
    const struct rdl_script *s = &rdl_script_extend;
    const struct rdl_bytes argv[] = {bytes("k"), bytes("t"), bytes("99")};
    const struct rdl_bytes expected[] = {bytes("EVAL"), {s->text, s->text_len}, bytes("1"), argv[0], argv[1],
                                         argv[2]};

    ck_assert_int_eq(rdl_cmd_eval_head(&w, s), RDL_OK);
    memcpy(buf + w.len, s->text, s->text_len);
    w.len += s->text_len;
    ck_assert_int_eq(rdl_cmd_eval_tail(&w, s, argv), RDL_OK);
    read_back(expected, 6);
}
END_TEST

/* ---------------------------------------------------------------- scripts */

static uint32_t rotate(uint32_t x, unsigned n)
{
    return (uint32_t)(x << n) | (x >> (32 - n));
}

static void sha1_block(uint32_t h[5], const uint8_t *block)
{
    uint32_t x[80];
    uint32_t v[5];
    unsigned i;

    for (i = 0; i < 16; i++)
        x[i] = (uint32_t)block[i * 4] << 24 | (uint32_t)block[i * 4 + 1] << 16 |
               (uint32_t)block[i * 4 + 2] << 8 | block[i * 4 + 3];
    for (; i < 80; i++)
        x[i] = rotate(x[i - 3] ^ x[i - 8] ^ x[i - 14] ^ x[i - 16], 1);
    memcpy(v, h, sizeof v);
    for (i = 0; i < 80; i++) {
        static const uint32_t constants[] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
        uint32_t f = i < 20   ? (v[1] & v[2]) | (~v[1] & v[3])
                     : i < 40 ? v[1] ^ v[2] ^ v[3]
                     : i < 60 ? (v[1] & v[2]) | (v[1] & v[3]) | (v[2] & v[3])
                              : v[1] ^ v[2] ^ v[3];
        uint32_t t = rotate(v[0], 5) + f + v[4] + constants[i / 20] + x[i];

        memmove(v + 1, v, 4 * sizeof v[0]);
        v[0] = t;
        v[2] = rotate(v[2], 30);
    }
    for (i = 0; i < 5; i++)
        h[i] += v[i];
}

static void sha1_hex(char out[41], const char *text, size_t len)
{
    uint32_t h[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    uint8_t padded[1024] = {0};
    size_t total = (len + 9 + 63) / 64 * 64;
    size_t i;

    ck_assert_uint_le(total, sizeof padded);
    memcpy(padded, text, len);
    padded[len] = 0x80;
    padded[total - 1] = (uint8_t)(len * 8);
    padded[total - 2] = (uint8_t)(len * 8 >> 8);
    for (i = 0; i < total; i += 64)
        sha1_block(h, padded + i);
    for (i = 0; i < 5; i++)
        snprintf(out + 8 * i, 9, "%08lx", (unsigned long)h[i]);
}

START_TEST(a_scripts_sha1_is_that_of_its_text)
{
    const struct rdl_script *const scripts[] = {&rdl_script_release,      &rdl_script_extend,
                                                &rdl_script_replace,      &rdl_script_acquire,
                                                &rdl_script_release_wake, &rdl_script_acquire_multi,
                                                &rdl_script_extend_multi, &rdl_script_release_multi};
    size_t i;
    char sha[41];

    sha1_hex(sha, "abc", 3);
    ck_assert_str_eq(sha, "a9993e364706816aba3e25717850c26c9cd0d89d"); /* FIPS 180-1 */
    for (i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        ck_assert_uint_eq(strlen(scripts[i]->text), scripts[i]->text_len);
        sha1_hex(sha, scripts[i]->text, scripts[i]->text_len);
        ck_assert_str_eq(scripts[i]->sha, sha);
        ck_assert_ptr_null(strchr(scripts[i]->text, '\n'));
        ck_assert_ptr_null(strstr(scripts[i]->text, "  "));
    }
    ck_assert_int_eq(rdl_script_release.keys, 1);
    ck_assert_int_eq(rdl_script_release.args, 1);
    ck_assert_int_eq(rdl_script_extend.keys, 1);
    ck_assert_int_eq(rdl_script_extend.args, 2);
    ck_assert_int_eq(rdl_script_replace.args, 2);
    ck_assert_int_eq(rdl_script_acquire.keys, 2);
    ck_assert_int_eq(rdl_script_acquire.args, 4);
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
    tcase_add_test(t, a_call_counts_as_many_bulks_as_its_script_has_arguments);
    tcase_add_test(t, head_text_and_tail_of_an_eval_make_one_command);
    tcase_add_test(t, a_scripts_sha1_is_that_of_its_text);
    suite_add_tcase(s, t);
    return s;
}
