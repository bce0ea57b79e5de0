/* SPDX-License-Identifier: MIT */
/* check_lock_script.c - scripts, and the requests around them, are sent in order. */
#include <stdio.h>
#include <string.h>

#include "lock/lock_op.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

static struct scripted s;

static struct rdl_command command(const struct rdl_op *op, const char *key, unsigned token)
{
    struct rdl_command cmd = {op,   {key, strlen(key)}, {token_hex(token), RDL_VALUE_MAX}, {NULL, 0}, 60000,
                              30000};

    return cmd;
}

START_TEST(two_scripts_are_sent_in_order)
{
    struct rdl_command one = command(&rdl_op_release, "k1", 1);
    struct rdl_command two = command(&rdl_op_extend, "k2", 2);
    struct rdl_command set = command(&rdl_op_acquire, "k3", 3);
    struct rdl_req req = {0}, other = {0};

    scripted_init(&s);
    rdl_conn_submit(&s.conn, NULL, &one);
    rdl_conn_submit(&s.conn, &req, &set);
    rdl_conn_submit(&s.conn, &other, &two);
    scripted_open(&s, 1000);
    ck_assert_str_eq(scripted_sent(&s),
                     wire_join(wire_release_text("k1", token_hex(1)), wire_acquire("k3", token_hex(3), 30000),
                               wire_extend_text("k2", token_hex(2), 30000), NULL));
    scripted_reply(&s, ":1\r\n+OK\r\n:30000\r\n:0\r\n");
    ck_assert_int_eq(req.answer, RDL_ANSWER_YES);
    ck_assert(rdl_conn_is_idle(&s.conn));
}
END_TEST

START_TEST(more_than_a_chunk_is_sent_in_order)
{
    static char expected[16000];
    struct rdl_req reqs[20];
    size_t len = 0;
    int i;

    memset(reqs, 0, sizeof reqs);
    scripted_init(&s);
    for (i = 0; i < 20; i++) {
        char key[16];
        struct rdl_command set;
        snprintf(key, sizeof key, "key%d", i);
        set = command(&rdl_op_acquire, key, 7);
        ck_assert_int_eq(rdl_conn_submit(&s.conn, &reqs[i], &set), RDL_OK);
        len += (size_t)snprintf(expected + len, sizeof expected - len, "%s",
                                wire_acquire(key, token_hex(7), 30000));
    }
    scripted_open(&s, 1000);
    ck_assert_str_eq(scripted_sent(&s), expected);
}
END_TEST

START_TEST(lock_name_may_hold_any_byte)
{
    static const char odd[] = "a\0b\r\n$5\r\n\xff ";
    struct rdl_command set = command(&rdl_op_acquire, "", 7);
    struct rdl_req req = {0};
    struct sim_arg argv[SIM_ARGS];
    const char *why;
    int argc;

    scripted_init(&s);
    set.name.data = odd;
    set.name.len = sizeof odd - 1;
    rdl_conn_submit(&s.conn, &req, &set);
    scripted_open(&s, 1000);
    scripted_sent(&s);
    ck_assert_int_gt(sim_request_parse((const uint8_t *)s.out, s.len, argv, &argc, &why), 0);
    ck_assert_int_eq(argc, 6);
    ck_assert_uint_eq(argv[1].len, sizeof odd - 1);
    ck_assert_mem_eq(argv[1].data, odd, sizeof odd - 1);
}
END_TEST

Suite *suite_lock_script(void)
{
    Suite *suite = suite_create("lock_script");
    TCase *tc = suite_case(suite, "script", NULL, NULL);

    tcase_add_test(tc, two_scripts_are_sent_in_order);
    tcase_add_test(tc, more_than_a_chunk_is_sent_in_order);
    tcase_add_test(tc, lock_name_may_hold_any_byte);
    return suite;
}
