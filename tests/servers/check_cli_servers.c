/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "tests/fixtures/command.h"
#include "tests/fixtures/servers.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

Suite *suite_cli_servers(void);

enum { N = 3 };

#define NO_HOST "redis://nowhere.invalid" /* RFC 6761: there is none, and never will be */

static struct live_server server[N];
static struct command c;
static char url[N + 1][LIVE_PATH_MAX + 32];

static void start(void)
{
    for (int i = 0; i < N; i++) {
        live_start(&server[i]);
        live_url(&server[i], LIVE_V4, url[i], sizeof url[i]);
    }
}

static void stop(void)
{
    live_remove_all(server, N);
}

static int run(const char *a, const char *b, const char *third)
{
    const char *urls[] = {a, b, third};
    memset(&c, 0, sizeof c);
    command_setenv(&c, "RES_OPTIONS=timeout:1 attempts:1"); /* where no name server answers at all */
    command_add_all(&c, (const char *const[]){"run", "-n", NULL});
    for (int i = 0; i < 3 && urls[i] != NULL; i++)
        command_add_all(&c, (const char *const[]){"-u", urls[i], NULL});
    command_add_all(&c, (const char *const[]){"nightly", "true", NULL});
    return command_run(&c);
}

START_TEST(an_unknown_host_is_68_and_named)
{
    ck_assert_int_eq(run(NO_HOST, NULL, NULL), 68);
    ck_assert_ptr_nonnull(strstr(c.err, "no address for nowhere.invalid"));
    ck_assert_int_eq(run(NO_HOST ":1", url[0], NO_HOST ":2"), 68);
}
END_TEST

START_TEST(one_unknown_host_of_three_counts_as_one_that_is_down)
{
    ck_assert_int_eq(run(url[0], NO_HOST, url[1]), 0);
    ck_assert_ptr_nonnull(strstr(c.err, "counted as down (1 of 3)"));
    live_kill(&server[1]);
    ck_assert_int_eq(run(url[0], NO_HOST, url[1]), 69);
    ck_assert_ptr_nonnull(strstr(c.err, "no address"));
}
END_TEST

START_TEST(a_name_with_several_addresses_leads_to_the_one_that_listens)
{
    static const char *const v4_only[] = {"--bind", "127.0.0.1", NULL};
    struct live_server s = {.args = v4_only};
    live_start(&s);
    snprintf(url[N], sizeof url[N], "redis://localhost:%d", s.port);
    ck_assert_int_eq(run(url[N], NULL, NULL), 0);
    ck_assert_str_eq(c.err, "");
    live_remove(&s);
}
END_TEST

START_TEST(every_kind_of_address_works)
{
    char v6[64], path[LIVE_PATH_MAX + 32], db[LIVE_PATH_MAX + 40];
    live_url(&server[1], LIVE_V6, v6, sizeof v6);
    live_url(&server[2], LIVE_UNIX, path, sizeof path);
    snprintf(db, sizeof db, "%s/3", url[0]);
    ck_assert_int_eq(run(db, v6, path), 0);
    ck_assert_str_eq(c.err, "");
}
END_TEST

START_TEST(one_server_under_two_urls_is_65)
{
    char again[LIVE_PATH_MAX + 40];
    snprintf(again, sizeof again, "%s/5", url[0]);
    ck_assert_int_eq(run(url[0], url[1], again), 65);
    ck_assert_ptr_nonnull(strstr(c.err, "number 1 and number 3"));
    ck_assert_int_eq(run("unix:///nosuch/a", "unix:///nosuch/b", "unix:///nosuch/b?db=1"), 65);
    ck_assert_ptr_nonnull(strstr(c.err, "number 2 and number 3"));
}
END_TEST

START_TEST(a_bad_url_is_65_and_not_repeated)
{
    static const char *const bad[] = {"",
                                      "http://h",
                                      "redis://",
                                      "redis://s3same@h",
                                      "redis://:s3same@h:x",
                                      "redis://:s3same@h:70000",
                                      "redis://:s3same@h/x",
                                      "unix://relative"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ck_assert_msg(run(bad[i], NULL, NULL) == 65, "\"%s\": %d", bad[i], c.status);
        ck_assert_ptr_null(strstr(c.err, "s3same"));
        ck_assert_ptr_nonnull(strstr(c.err, "redlock: -u number 1: "));
    }
}
END_TEST

START_TEST(a_bad_url_is_told_by_where_it_is_from)
{
    static const struct {
        const char *variable, *text;
    } cases[] = {
        {"REDIS_URL=redis://", "redlock: $REDIS_URL: the host is missing ("},
        {"REDLOCK_URLS=redis://", "redlock: $REDLOCK_URLS: the host is missing ("},
        {"REDLOCK_URLS=redis://127.0.0.1 redis://:@h", "redlock: $REDLOCK_URLS number 2: nothing but a : "},
        {"REDLOCK_URLS=redis://127.0.0.1 redis://127.0.0.1/2",
         "redlock: $REDLOCK_URLS number 1 and number 2 are the same server"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memset(&c, 0, sizeof c);
        command_setenv(&c, cases[i].variable);
        command_add_all(&c, (const char *const[]){"run", "-n", "nightly", "true", NULL});
        ck_assert_int_eq(command_run(&c), 65);
        ck_assert_msg(strstr(c.err, cases[i].text) != NULL, "%s", c.err);
    }
}
END_TEST

START_TEST(all_bad_urls_are_told)
{
    ck_assert_int_eq(run("redis://", url[0], "unix://"), 65);
    ck_assert_ptr_nonnull(strstr(c.err, "redlock: -u number 1: "));
    ck_assert_ptr_null(strstr(c.err, "number 2"));
    ck_assert_ptr_nonnull(strstr(c.err, "redlock: -u number 3: "));
}
END_TEST

Suite *suite_cli_servers(void)
{
    Suite *s = suite_create("cli_servers");
    TCase *t = tcase_create("three servers");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, an_unknown_host_is_68_and_named);
    tcase_add_test(t, one_unknown_host_of_three_counts_as_one_that_is_down);
    tcase_add_test(t, a_name_with_several_addresses_leads_to_the_one_that_listens);
    tcase_add_test(t, every_kind_of_address_works);
    tcase_add_test(t, one_server_under_two_urls_is_65);
    tcase_add_test(t, a_bad_url_is_65_and_not_repeated);
    tcase_add_test(t, a_bad_url_is_told_by_where_it_is_from);
    tcase_add_test(t, all_bad_urls_are_told);
    suite_add_tcase(s, t);
    return s;
}
