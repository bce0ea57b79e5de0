/* SPDX-License-Identifier: MIT */
/* check_resp_cmd_more.c - commands of the ways and of the legacy mode: bytes, whole or not at all. */
#include "resp/resp.h"

#include <check.h>
#include <string.h>

static uint8_t buf[256];
static struct rdl_writer w;
static const struct rdl_bytes key = {"orders:17", 9};
static const struct rdl_bytes token = {"tok", 3};

static int call_delex(void)
{
    return rdl_cmd_delex(&w, key, token);
}
static int call_delifeq(void)
{
    return rdl_cmd_delifeq(&w, key, token);
}
static int call_watch(void)
{
    return rdl_cmd_watch(&w, key);
}
static int call_get(void)
{
    return rdl_cmd_get(&w, key);
}
static int call_del(void)
{
    return rdl_cmd_del(&w, key);
}
static int call_multi(void)
{
    return rdl_cmd_multi(&w);
}
static int call_exec(void)
{
    return rdl_cmd_exec(&w);
}
static int call_discard(void)
{
    return rdl_cmd_discard(&w);
}
static int call_pexpire(void)
{
    return rdl_cmd_pexpire(&w, key, 30000);
}
static int call_set(void)
{
    return rdl_cmd_set(&w, key, token);
}
static int call_time(void)
{
    return rdl_cmd_time(&w);
}
static int call_setnx(void)
{
    return rdl_cmd_setnx(&w, key, token);
}
static int call_getset(void)
{
    return rdl_cmd_getset(&w, key, token);
}

#define KEY   "$9\r\norders:17\r\n"
#define TOKEN "$3\r\ntok\r\n"

static const struct {
    int (*call)(void);
    const char *wire;
} commands[] = {
    {call_delex, "*4\r\n$5\r\nDELEX\r\n" KEY "$4\r\nIFEQ\r\n" TOKEN},
    {call_delifeq, "*3\r\n$7\r\nDELIFEQ\r\n" KEY TOKEN},
    {call_watch, "*2\r\n$5\r\nWATCH\r\n" KEY},
    {call_get, "*2\r\n$3\r\nGET\r\n" KEY},
    {call_del, "*2\r\n$3\r\nDEL\r\n" KEY},
    {call_multi, "*1\r\n$5\r\nMULTI\r\n"},
    {call_exec, "*1\r\n$4\r\nEXEC\r\n"},
    {call_discard, "*1\r\n$7\r\nDISCARD\r\n"},
    {call_pexpire, "*3\r\n$7\r\nPEXPIRE\r\n" KEY "$5\r\n30000\r\n"},
    {call_set, "*3\r\n$3\r\nSET\r\n" KEY TOKEN},
    {call_time, "*1\r\n$4\r\nTIME\r\n"},
    {call_setnx, "*3\r\n$5\r\nSETNX\r\n" KEY TOKEN},
    {call_getset, "*3\r\n$6\r\nGETSET\r\n" KEY TOKEN},
};

START_TEST(a_command_is_its_template_and_needs_just_that_room)
{
    size_t len = strlen(commands[_i].wire);

    memset(buf, 0x55, sizeof buf);
    rdl_writer_init(&w, buf, len);
    ck_assert_int_eq(commands[_i].call(), RDL_OK);
    ck_assert_uint_eq(w.len, len);
    ck_assert_mem_eq(buf, commands[_i].wire, len);
    ck_assert_int_eq(buf[len], 0x55);

    memset(buf, 0x55, sizeof buf);
    rdl_writer_init(&w, buf, len - 1);
    ck_assert_int_eq(commands[_i].call(), RDL_E_SPACE);
    ck_assert_uint_eq(w.len, 0);
    ck_assert_int_eq(buf[0], 0x55);
}
END_TEST

Suite *suite_resp_cmd_more(void);
Suite *suite_resp_cmd_more(void)
{
    Suite *s = suite_create("resp_cmd_more");
    TCase *t = tcase_create("resp_cmd_more");

    tcase_add_loop_test(t, a_command_is_its_template_and_needs_just_that_room, 0,
                        (int)(sizeof commands / sizeof commands[0]));
    suite_add_tcase(s, t);
    return s;
}
