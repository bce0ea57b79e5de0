/* SPDX-License-Identifier: MIT */
/* What a new connection is asked: exact bytes, whole or not at all. */
#include "resp/resp.h"

#include <check.h>
#include <string.h>

static uint8_t buf[64];
static struct rdl_writer w;

static const char *const questions[] = {
    "*2\r\n$4\r\nINFO\r\n$6\r\nserver\r\n",
    "*2\r\n$4\r\nINFO\r\n$11\r\nreplication\r\n",
    "*2\r\n$4\r\nINFO\r\n$6\r\nmemory\r\n",
    "*1\r\n$5\r\nDELEX\r\n",
    "*1\r\n$7\r\nDELIFEQ\r\n",
};

START_TEST(a_question_is_its_template_and_needs_just_that_room)
{
    size_t len = strlen(questions[_i]);

    rdl_writer_init(&w, buf, len);
    ck_assert_int_eq(rdl_cmd_ask(&w, (enum rdl_question)_i), RDL_OK);
    ck_assert_uint_eq(w.len, len);
    ck_assert_mem_eq(buf, questions[_i], len);
    rdl_writer_init(&w, buf, len - 1);
    ck_assert_int_eq(rdl_cmd_ask(&w, (enum rdl_question)_i), RDL_E_SPACE);
    ck_assert_uint_eq(w.len, 0);
}
END_TEST

START_TEST(a_script_is_loaded_with_its_length_told)
{
    static const char text[] = "return 1";
    struct rdl_script s = rdl_script_release;
    static const char head[] = "*3\r\n$6\r\nSCRIPT\r\n$4\r\nLOAD\r\n$8\r\n";

    s.text = text;
    s.text_len = 8;
    rdl_writer_init(&w, buf, strlen(head) + 2);
    ck_assert_int_eq(rdl_cmd_load_head(&w, &s), RDL_OK);
    ck_assert_uint_eq(w.len, strlen(head));
    ck_assert_mem_eq(buf, head, w.len);
    ck_assert_int_eq(rdl_cmd_load_tail(&w), RDL_OK);
    ck_assert_mem_eq(buf + strlen(head), "\r\n", 2);
    ck_assert_int_eq(rdl_cmd_load_tail(&w), RDL_E_SPACE);
    rdl_writer_init(&w, buf, strlen(head) - 1);
    ck_assert_int_eq(rdl_cmd_load_head(&w, &s), RDL_E_SPACE);
    ck_assert_uint_eq(w.len, 0);
}
END_TEST

Suite *suite_resp_ask(void);
Suite *suite_resp_ask(void)
{
    Suite *s = suite_create("resp_ask");
    TCase *t = tcase_create("resp_ask");

    tcase_add_loop_test(t, a_question_is_its_template_and_needs_just_that_room, 0,
                        (int)(sizeof questions / sizeof questions[0]));
    tcase_add_test(t, a_script_is_loaded_with_its_length_told);
    suite_add_tcase(s, t);
    return s;
}
