/* SPDX-License-Identifier: MIT */
/* check_lock_posix.c - a connection from a URL: usable at once, and safe with an invalid URL. */
#include <stdio.h>
#include <string.h>

#include "lock/lock_io.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

static struct rdl_posix_conn server;
static struct rdl_posix posix;
static struct rdl_platform platform;
static struct rdl_lock lock;
static const struct rdl_lock_options opt = {.ttl_ms = 10000, .attempt_ms = 2000};

START_TEST(a_url_is_all_a_lock_needs)
{
    static struct live_server s;
    char url[128];

    live_start(&s);
    live_url(&s, LIVE_V4, url, sizeof url);
    rdl_posix_init(&posix, &platform);
    memset(&server, 0xff, sizeof server); /* it need not be zero */
    ck_assert_int_eq(rdl_posix_conn_init(&server, url, NULL), RDL_OK);
    memset(url, 'x', sizeof url); /* it was copied */
    rdl_lock_init(&lock, &opt, &server.conn, "k", 1);
    ck_assert_int_eq(rdl_lock_acquire(&lock, &platform), RDL_OK);
    ck_assert_int_eq(rdl_lock_release(&lock, &platform), RDL_OK);
    live_stop(&s);
}
END_TEST

START_TEST(a_url_logs_in_with_its_password)
{
    static struct live_server s;
    char url[128];

    live_start(&s);
    live_command(&s, "CONFIG SET requirepass secret");
    snprintf(url, sizeof url, "redis://:secret@127.0.0.1:%d", s.port);
    rdl_posix_init(&posix, &platform);
    ck_assert_int_eq(rdl_posix_conn_init(&server, url, NULL), RDL_OK);
    rdl_lock_init(&lock, &opt, &server.conn, "k", 1);
    ck_assert_int_eq(rdl_lock_acquire(&lock, &platform), RDL_OK);
    live_stop(&s);
}
END_TEST

/* It may be on the stack. */
START_TEST(memory_needs_no_value_before)
{
    struct rdl_posix_conn c, zero;

    memset(&c, 0xff, sizeof c);
    memset(&zero, 0, sizeof zero);
    ck_assert_int_eq(rdl_posix_conn_init(&c, "redis://127.0.0.1", NULL), RDL_OK);
    ck_assert_int_eq(rdl_posix_conn_init(&zero, "redis://127.0.0.1", NULL), RDL_OK);
    ck_assert_uint_eq(c.config.connect_ms, zero.config.connect_ms);
    ck_assert_mem_eq(c.queue, zero.queue, sizeof c.queue);
}
END_TEST

START_TEST(a_host_name_is_refused_and_reported)
{
    const char *why = NULL;

    ck_assert_int_eq(rdl_posix_conn_init(&server, "redis://localhost:6379", &why), RDL_E_NO_ADDRESS);
    ck_assert_str_eq(why, "names are not looked up here: give a numeric address, or a socket's path");
    ck_assert_int_eq(rdl_posix_conn_init(&server, "redis://localhost:6379", NULL), RDL_E_NO_ADDRESS);
}
END_TEST

START_TEST(an_invalid_url_is_refused_and_connects_nowhere)
{
    static char longer[RDL_POSIX_URL_MAX + 64];
    const char *why = NULL;

    memset(longer, 'a', sizeof longer - 1);
    memcpy(longer, "unix:///", 8);
    ck_assert_int_eq(rdl_posix_conn_init(&server, longer, NULL), RDL_E_SPACE);
    ck_assert_int_eq(rdl_posix_conn_init(&server, "http://127.0.0.1", &why), RDL_E_URL);
    ck_assert_ptr_ne(why, NULL);
    rdl_posix_init(&posix,
                   &platform); /* the result was ignored: the lock reports it, and nothing worse happens */
    rdl_lock_init(&lock, &opt, &server.conn, "k", 1);
    ck_assert_int_lt(rdl_lock_acquire(&lock, &platform), 0);
}
END_TEST

Suite *suite_lock_posix(void)
{
    Suite *suite = suite_create("lock_posix");
    TCase *tc = suite_case(suite, "from a URL", NULL, NULL);

    tcase_add_test(tc, a_url_is_all_a_lock_needs);
    tcase_add_test(tc, a_url_logs_in_with_its_password);
    tcase_add_test(tc, a_host_name_is_refused_and_reported);
    tcase_add_test(tc, an_invalid_url_is_refused_and_connects_nowhere);
    tcase_add_test(tc, memory_needs_no_value_before);
    return suite;
}
