/* SPDX-License-Identifier: MIT */
/* Several locks at once on a server without scripts: what the command and its doctor say of MSETEX. */
#include <stdio.h>
#include <string.h>

#include "tests/fixtures/command.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

static struct live_server server;
static struct command c;

static void setup(void)
{
    static const char *const renamed[] = {LIVE_WITHOUT_SCRIPTS, NULL};

    memset(&server, 0, sizeof server);
    server.args = renamed;
    live_start(&server);
}

static void teardown(void)
{
    live_remove(&server);
}

static int run(const char *url, const char *verb, const char *work)
{
    memset(&c, 0, sizeof c);
    command_add_all(&c,
                    (const char *const[]){verb, "--attempt=5s", "-u", url, "-l", "a", "-l", "b", work, NULL});
    return command_run(&c);
}

static void expect(const char *part)
{
    ck_assert_msg(strstr(c.out, part) != NULL || strstr(c.err, part) != NULL, "\"%s\" is not in\n%s%s", part,
                  c.out, c.err);
}

/* With MSETEX, the rule that doctor prints is enough. */
START_TEST(doctor_accepts_msetex_instead_of_scripts)
{
    char url[64], rule[300];
    const char *at;

    snprintf(url, sizeof url, "redis://127.0.0.1:%d", server.port);
    if (strstr(live_command(&server, "MSETEX"), "wrong number of arguments") == NULL) {
        ck_assert_int_eq(run(url, "doctor", NULL), 78);
        expect("it does not support +eval +evalsha");
        ck_assert_int_eq(run(url, "run", "true"), 69);
        expect("need scripts or MSETEX, which the server refuses");
        return;
    }
    ck_assert_int_eq(run(url, "doctor", NULL), 1);
    expect(strstr(live_command(&server, "INFO server"), "valkey_version") == NULL
               ? "can release by DELEX; can extend by WATCH"
               : "can release by DELIFEQ; can extend by WATCH");
    expect("it runs no scripts: locks work without, in more round trips");
    at = strstr(c.out, "ACL SETUSER redlock on ");
    ck_assert_ptr_nonnull(at);
    snprintf(rule, sizeof rule, "%.*s >pw", (int)strcspn(at, "\n"), at);
    ck_assert_str_eq(live_command(&server, "%s", rule), "+OK\r\n");
    snprintf(url, sizeof url, "redis://redlock:pw@127.0.0.1:%d", server.port);
    ck_assert_int_eq(run(url, "run", "true"), 0);
    ck_assert_str_eq(live_command(&server, "EXISTS a b"), ":0\r\n");
    run(url, "doctor", NULL);
    ck_assert_ptr_null(strstr(c.out, "lacks"));
    expect("can extend by WATCH");
}
END_TEST

Suite *suite_live_several(void)
{
    Suite *suite = suite_create("live_several");
    TCase *tc = suite_case(suite, "several", setup, teardown);

    tcase_add_test(tc, doctor_accepts_msetex_instead_of_scripts);
    return suite;
}
