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

Suite *suite_resp_ask(void);
Suite *suite_resp_ask(void)
{
    Suite *s = suite_create("resp_ask");
    TCase *t = tcase_create("resp_ask");

    tcase_add_loop_test(t, a_question_is_its_template_and_needs_just_that_room, 0,
                        (int)(sizeof questions / sizeof questions[0]));
    suite_add_tcase(s, t);
    return s;
}
