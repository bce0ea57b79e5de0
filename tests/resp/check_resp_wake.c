/* SPDX-License-Identifier: MIT */
/* The wait for a hint, byte for byte: never for ever, and rounded up. */
#include "resp/resp.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static const struct {
    uint32_t ms;
    int is_whole;
    const char *text;
} waits[] = {
    {0, 0, "0.002"},
    {1, 0, "0.002"},
    {42, 0, "0.042"},
    {999, 0, "0.999"},
    {1000, 0, "1"},
    {1001, 0, "1.001"},
    {59900, 0, "59.900"},
    {4294967295u, 0, "4294967.295"},
    {0, 1, "1"},
    {1, 1, "1"},
    {999, 1, "1"},
    {1000, 1, "1"},
    {1001, 1, "2"},
    {60000, 1, "60"},
    {4294967295u, 1, "4294968"},
};

START_TEST(a_wait_is_written_in_seconds_rounded_up_and_never_0)
{
    const struct rdl_bytes key = {"{k}:wake", 8};
    uint8_t buf[64];
    char want[64];
    struct rdl_writer w;
    size_t len;

    snprintf(want, sizeof want, "*3\r\n$5\r\nBLPOP\r\n$8\r\n{k}:wake\r\n$%zu\r\n%s\r\n",
             strlen(waits[_i].text), waits[_i].text);
    len = strlen(want);
    rdl_writer_init(&w, buf, len);
    ck_assert_int_eq(rdl_cmd_blpop(&w, key, waits[_i].ms, waits[_i].is_whole), RDL_OK);
    ck_assert_uint_eq(w.len, len);
    ck_assert_mem_eq(buf, want, len);
    rdl_writer_init(&w, buf, len - 1);
    ck_assert_int_eq(rdl_cmd_blpop(&w, key, waits[_i].ms, waits[_i].is_whole), RDL_E_SPACE);
    ck_assert_uint_eq(w.len, 0);
}
END_TEST

START_TEST(the_release_that_tells_names_both_its_keys)
{
    const struct rdl_script *s = &rdl_script_release_wake;

    ck_assert_uint_eq(strlen(s->text), s->text_len);
    ck_assert_int_eq(s->keys, 2);
    ck_assert_int_eq(s->args, 2);
    ck_assert_ptr_null(strstr(s->text, "KEYS[3]"));
    ck_assert_ptr_null(strstr(s->text, "ARGV[3]"));
    ck_assert_ptr_null(strstr(s->text, "  "));
}
END_TEST

Suite *suite_resp_wake(void);
Suite *suite_resp_wake(void)
{
    Suite *s = suite_create("resp_wake");
    TCase *t = tcase_create("resp_wake");

    tcase_add_loop_test(t, a_wait_is_written_in_seconds_rounded_up_and_never_0, 0,
                        (int)(sizeof waits / sizeof waits[0]));
    tcase_add_test(t, the_release_that_tells_names_both_its_keys);
    suite_add_tcase(s, t);
    return s;
}
