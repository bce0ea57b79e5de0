/* SPDX-License-Identifier: MIT */
/* The command on a host that has just booted and has no random numbers yet. */
#include "tests/fixtures/command.h"
#include "tests/fixtures/refused_call.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

enum { EXIT_OS = 71 };

static struct live_server server;
static struct command c;

static void setup(void)
{
    live_start(&server);
    live_command(&server, "CONFIG RESETSTAT");
    refuse_call(SYS_getrandom, EAGAIN);
}

static void teardown(void)
{
    live_remove(&server);
}

/* The server got no lock request, nor any command that is part of one. */
static void assert_no_request(void)
{
    const char *stats = live_command(&server, "INFO commandstats");

    assert_lacks(stats, "cmdstat_set:");
    assert_lacks(stats, "cmdstat_eval");
    ck_assert_str_eq(live_command(&server, "DBSIZE"), ":0\r\n");
}

static const char *const verbs[][4] = {{"run", "nightly", "-c", "echo ran"}, {"acquire", "nightly"}};

START_TEST(without_entropy_no_lock_is_requested)
{
    command_add(&c, verbs[_i][0]);
    command_add_servers(&c, &server, 1);
    for (int i = 1; i < 4 && verbs[_i][i] != NULL; i++)
        command_add(&c, verbs[_i][i]);
    ck_assert_int_eq(command_run(&c), EXIT_OS);
    ck_assert_str_eq(c.out, "");
    ck_assert_str_eq(c.err, "redlock: cannot request the lock: no source of random numbers\n");
    assert_no_request();
}
END_TEST

Suite *suite_cli_entropy(void)
{
    Suite *s = suite_create("cli_entropy");
    TCase *tc = suite_case(s, "booted", setup, teardown);

    tcase_add_loop_test(tc, without_entropy_no_lock_is_requested, 0, 2);
    return s;
}
