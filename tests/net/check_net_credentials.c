/* SPDX-License-Identifier: MIT */
/* check_net_credentials.c - user and password from a function: when it is called, and what is sent. */
#include <stdio.h>
#include <string.h>

#include "net/net_credentials.h"
#include "tests/fixtures/scripted.h"
#include "tests/suite.h"

static struct scripted s;
static struct rdl_credentials credentials;
static char user[RDL_CREDENTIAL_MAX + 1], password[RDL_CREDENTIAL_MAX + 1];
static size_t user_len, password_len;
static const char *failure;
static int leaves;
static unsigned calls;

static const char *get(void *ctx, const struct rdl_endpoint *ep, struct rdl_bytes *u, struct rdl_bytes *p)
{
    ck_assert_ptr_eq(ctx, &calls);
    ck_assert_ptr_eq(ep, &s.endpoint);
    ck_assert_mem_eq(u, &s.endpoint.user, sizeof *u); /* to begin with those of the last login */
    ck_assert_mem_eq(p, &s.endpoint.password, sizeof *p);
    calls++;
    if (leaves)
        return NULL;
    *u = (struct rdl_bytes){user, user_len};
    *p = (struct rdl_bytes){password, password_len};
    return failure;
}

static void give(const char *u, const char *p)
{
    user_len = strlen(u);
    password_len = strlen(p);
    memcpy(user, u, user_len);
    memcpy(password, p, password_len);
}

static void setup(void)
{
    scripted_init(&s);
    rdl_credentials_init(&credentials, &s.endpoint, get, &calls);
    s.cfg.login = &credentials.login;
    calls = 0;
    failure = NULL;
    leaves = 0;
}

static const char *auth(const char *u, const char *p)
{
    static char out[100];

    snprintf(out, sizeof out, "*3\r\n$4\r\nAUTH\r\n$%zu\r\n%s\r\n$%zu\r\n%s\r\n", strlen(u), u, strlen(p), p);
    return out;
}

START_TEST(each_login_has_the_current_password)
{
    static const char *const tokens[] = {"first", "another one", ""};

    s.endpoint.user = s.endpoint.password = (struct rdl_bytes){"old", 3}; /* the function counts */
    for (unsigned i = 0; i < 3; i++) {
        give("ann", tokens[i]);
        ck_assert_uint_eq(calls, i);
        scripted_open(&s, 10000 * (i + 1));
        ck_assert_str_eq(scripted_sent(&s), auth("ann", tokens[i]));
        scripted_reply(&s, "+OK\r\n");
        ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
        ck_assert_uint_eq(calls, i + 1);
        scripted_break(&s);
    }
}
END_TEST

START_TEST(a_login_may_keep_user_and_password)
{
    s.endpoint.user = (struct rdl_bytes){"ann", 3};
    s.endpoint.password = (struct rdl_bytes){"s3cret", 6};
    leaves = 1;
    scripted_open(&s, 1000);
    ck_assert_str_eq(scripted_sent(&s), auth("ann", "s3cret"));
}
END_TEST

START_TEST(without_user_and_password_nothing_is_sent)
{
    give("", "");
    scripted_open(&s, 1000);
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
    ck_assert_str_eq(scripted_sent(&s), "");
    ck_assert_uint_eq(calls, 1);
}
END_TEST

START_TEST(a_login_that_cannot_begin_sends_nothing_and_says_why)
{
    give("ann", "s3cret");
    failure = "the token service is away";
    scripted_open(&s, 1000);
    ck_assert_int_eq(scripted_close_failed(&s), RDL_E_AUTH);
    ck_assert_str_eq(rdl_conn_text(&s.conn), failure);
    ck_assert_str_eq(scripted_sent(&s), "");
    failure = NULL;
    scripted_open(&s, 9000); /* the next one may work */
    ck_assert_str_eq(scripted_sent(&s), auth("ann", "s3cret"));
}
END_TEST

/* 0: both as long as allowed, 1: the user is too long, 2: the password */
START_TEST(user_and_password_may_have_8192_bytes_in_chunks_of_16)
{
    static char sent[2 * RDL_CREDENTIAL_MAX + 100];
    size_t n;

    memset(user, 'u', sizeof user);
    memset(password, 'p', sizeof password);
    user_len = (size_t)RDL_CREDENTIAL_MAX + (_i == 1);
    password_len = (size_t)RDL_CREDENTIAL_MAX + (_i == 2);
    s.chunk = 16;
    scripted_open(&s, 1000);
    if (_i != 0) {
        ck_assert_int_eq(scripted_close_failed(&s), RDL_E_AUTH);
        ck_assert_str_eq(rdl_conn_text(&s.conn), "user or password is longer than 8192 bytes");
        return;
    }
    n = (size_t)snprintf(sent, sizeof sent, "*3\r\n$4\r\nAUTH\r\n$8192\r\n%.8192s\r\n$8192\r\n%.8192s\r\n",
                         user, password);
    ck_assert_uint_lt(n, sizeof sent);
    ck_assert_str_eq(scripted_sent(&s), sent);
    scripted_reply(&s, "+OK\r\n");
    ck_assert_int_eq(rdl_conn_state(&s.conn), RDL_CONN_READY);
}
END_TEST

static size_t shown, hidden;

static void trace(void *ctx, const struct rdl_conn *c, char dir, const uint8_t *data, size_t len)
{
    (void)ctx, (void)c, (void)dir;
    *(data != NULL ? &shown : &hidden) += len;
}

START_TEST(a_trace_hides_the_login)
{
    give("ann", "s3cret");
    s.cfg.trace = trace;
    s.chunk = (size_t)_i;
    shown = hidden = 0;
    scripted_open(&s, 1000);
    scripted_sent(&s);
    scripted_reply(&s, "+OK\r\n");
    ck_assert_uint_eq(hidden, strlen(auth("ann", "s3cret")) + strlen("+OK\r\n"));
    ck_assert_uint_eq(shown, 0);
}
END_TEST

Suite *suite_net_credentials(void)
{
    Suite *suite = suite_create("net_credentials");
    TCase *tc = suite_case(suite, "login", setup, NULL);

    tcase_add_test(tc, each_login_has_the_current_password);
    tcase_add_test(tc, a_login_may_keep_user_and_password);
    tcase_add_test(tc, without_user_and_password_nothing_is_sent);
    tcase_add_test(tc, a_login_that_cannot_begin_sends_nothing_and_says_why);
    tcase_add_loop_test(tc, user_and_password_may_have_8192_bytes_in_chunks_of_16, 0, 3);
    tcase_add_loop_test(tc, a_trace_hides_the_login, 1, 60);
    return suite;
}
