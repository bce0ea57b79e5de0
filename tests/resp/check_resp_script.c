/* SPDX-License-Identifier: MIT */
/* check_resp_script.c - the scripts of resp_cmd.c, resp_wake.c and resp_multi.c, and how they are called. */
#include "resp/resp.h"
#include "tests/sim/server.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const struct rdl_script *script;
    unsigned keys;
    unsigned args;
} scripts[] = {
    {&rdl_script_release, 1, 1},       {&rdl_script_extend, 1, 2},        {&rdl_script_replace, 1, 2},
    {&rdl_script_acquire, 2, 4},       {&rdl_script_extend_fenced, 2, 4}, {&rdl_script_release_wake, 2, 2},
    {&rdl_script_acquire_multi, 1, 2}, {&rdl_script_extend_multi, 1, 2},  {&rdl_script_release_multi, 1, 1},
    {&rdl_script_canary, 1, 1},
};
enum { SCRIPTS = sizeof scripts / sizeof scripts[0] };

static uint8_t buf[4096];
static struct rdl_writer w;

START_TEST(a_scripts_sha1_is_that_of_its_text)
{
    const struct rdl_script *s = scripts[_i].script;
    char sha[41];

    sim_sha1_hex("abc", 3, sha);
    ck_assert_str_eq(sha, "a9993e364706816aba3e25717850c26c9cd0d89d"); /* FIPS 180-1 */
    ck_assert_uint_eq(strlen(s->text), s->text_len);
    sim_sha1_hex(s->text, s->text_len, sha);
    ck_assert_str_eq(s->sha, sha);
    ck_assert_ptr_null(strchr(s->text, '\n'));
    ck_assert_ptr_null(strstr(s->text, "  "));
}
END_TEST

START_TEST(a_script_names_the_arguments_it_is_called_with_and_no_others)
{
    const struct rdl_script *s = scripts[_i].script;
    char name[16];

    ck_assert_uint_eq(s->keys, scripts[_i].keys);
    ck_assert_uint_eq(s->args, scripts[_i].args);
    snprintf(name, sizeof name, "ARGV[%u]", scripts[_i].args);
    ck_assert_ptr_nonnull(strstr(s->text, name));
    snprintf(name, sizeof name, "ARGV[%u]", scripts[_i].args + 1);
    ck_assert_ptr_null(strstr(s->text, name));
    snprintf(name, sizeof name, "KEYS[%u]", scripts[_i].keys);
    ck_assert(strstr(s->text, name) != NULL || strstr(s->text, "i=1,#KEYS") != NULL);
    snprintf(name, sizeof name, "KEYS[%u]", scripts[_i].keys + 1);
    ck_assert_ptr_null(strstr(s->text, name));
}
END_TEST

/* What was written is one command of RESP2, and nothing behind it. */
static void read_back(const struct rdl_bytes *words, size_t count)
{
    struct rdl_resp parser;
    struct rdl_resp_event ev;
    size_t at;
    size_t used;
    size_t i;

    rdl_resp_init(&parser);
    ck_assert_int_eq(rdl_resp_next(&parser, buf, w.len, &at, &ev), RDL_OK);
    ck_assert_int_eq(ev.kind, RDL_RESP_ARRAY);
    ck_assert_int_eq(ev.value, (int64_t)count);
    for (i = 0; i < count; i++) {
        ck_assert_int_eq(rdl_resp_next(&parser, buf + at, w.len - at, &used, &ev), RDL_OK);
        ck_assert_int_eq(ev.kind, RDL_RESP_BULK);
        ck_assert_uint_eq(ev.len, words[i].len);
        ck_assert_mem_eq(ev.data, words[i].data, ev.len);
        at += used;
    }
    ck_assert_int_eq(ev.end, 1);
    ck_assert_uint_eq(at, w.len);
}

enum { ARGS_MAX = 9 + 4, FIXED = 3 };

/* The words of a call: a key, a longer key, ..., and then arguments that no key is like. */
static size_t words_of(struct rdl_bytes *words, const struct rdl_script *s, int is_sha)
{
    static const char keys[] = "kkkkkkkkk";
    static const char args[] = "ARGUMENTS";
    static char digit[1];
    size_t n = FIXED;
    size_t i;

    digit[0] = (char)('0' + s->keys);
    words[0] = (struct rdl_bytes){is_sha ? "EVALSHA" : "EVAL", is_sha ? 7 : 4};
    words[1] = (struct rdl_bytes){is_sha ? s->sha : s->text, is_sha ? 40 : s->text_len};
    words[2] = (struct rdl_bytes){digit, 1};
    for (i = 0; i < s->keys; i++)
        words[n++] = (struct rdl_bytes){keys, i + 1};
    for (i = 0; i < s->args; i++)
        words[n++] = (struct rdl_bytes){args, i + 1};
    return n;
}

START_TEST(a_call_of_any_number_of_keys_is_one_command)
{
    struct rdl_script s = *scripts[_i % SCRIPTS].script;
    struct rdl_bytes words[FIXED + ARGS_MAX];
    size_t n;

    s.keys = (uint8_t)(_i / SCRIPTS + 1);
    n = words_of(words, &s, 1);
    rdl_writer_init(&w, buf, sizeof buf);
    ck_assert_int_eq(rdl_cmd_evalsha(&w, &s, words + FIXED), RDL_OK);
    read_back(words, n);

    n = words_of(words, &s, 0);
    rdl_writer_init(&w, buf, sizeof buf);
    ck_assert_int_eq(rdl_cmd_eval_head(&w, &s), RDL_OK);
    memcpy(buf + w.len, s.text, s.text_len);
    w.len += s.text_len;
    ck_assert_int_eq(rdl_cmd_eval_tail(&w, &s, words + FIXED), RDL_OK);
    read_back(words, n);
}
END_TEST

Suite *suite_resp_script(void);
Suite *suite_resp_script(void)
{
    Suite *s = suite_create("resp_script");
    TCase *t = tcase_create("resp_script");

    tcase_add_loop_test(t, a_scripts_sha1_is_that_of_its_text, 0, SCRIPTS);
    tcase_add_loop_test(t, a_script_names_the_arguments_it_is_called_with_and_no_others, 0, SCRIPTS);
    tcase_add_loop_test(t, a_call_of_any_number_of_keys_is_one_command, 0, 9 * SCRIPTS);
    suite_add_tcase(s, t);
    return s;
}
