/* SPDX-License-Identifier: MIT */
/* Names of keys, a part at a time: exact bytes, whole or not at all. */
#include "resp/resp.h"

#include <check.h>

static uint8_t buf[128];
static struct rdl_writer w;

static const struct {
    struct rdl_bytes cursor, pattern;
    const char *wire;
    size_t len;
} rows[] = {
    {{"0", 1},
     {"*", 1},
     "*6\r\n$4\r\nSCAN\r\n$1\r\n0\r\n$5\r\nMATCH\r\n$1\r\n*\r\n$5\r\nCOUNT\r\n$4\r\n1000\r\n",
     60},
    {{"18446744073709551615", 20},
     {"a\\*b*", 5},
     "*6\r\n$4\r\nSCAN\r\n$20\r\n18446744073709551615\r\n$5\r\nMATCH\r\n$5\r\na\\*b*\r\n$5\r\nCOUNT\r\n"
     "$4\r\n1000\r\n",
     84},
    {{"7", 1},
     {"\0\r\n\xff", 4},
     "*6\r\n$4\r\nSCAN\r\n$1\r\n7\r\n$5\r\nMATCH\r\n$4\r\n\0\r\n\xff\r\n$5\r\nCOUNT\r\n$4\r\n1000\r\n",
     63},
};

START_TEST(it_is_its_template_and_needs_just_that_room)
{
    size_t len = rows[_i].len;

    rdl_writer_init(&w, buf, len);
    ck_assert_int_eq(rdl_cmd_scan(&w, rows[_i].cursor, rows[_i].pattern), RDL_OK);
    ck_assert_uint_eq(w.len, len);
    ck_assert_mem_eq(buf, rows[_i].wire, len);
    rdl_writer_init(&w, buf, len - 1);
    ck_assert_int_eq(rdl_cmd_scan(&w, rows[_i].cursor, rows[_i].pattern), RDL_E_SPACE);
    ck_assert_uint_eq(w.len, 0);
}
END_TEST

Suite *suite_resp_scan(void);
Suite *suite_resp_scan(void)
{
    Suite *s = suite_create("resp_scan");
    TCase *t = tcase_create("resp_scan");

    tcase_add_loop_test(t, it_is_its_template_and_needs_just_that_room, 0,
                        (int)(sizeof rows / sizeof rows[0]));
    suite_add_tcase(s, t);
    return s;
}
