/* SPDX-License-Identifier: MIT */
/* leader.sh of redlock/examples/: one of three leads, and another one when it is gone. Real servers. */
#define _POSIX_C_SOURCE 200809L
#include "tests/fixtures/recipe.h"
#include "tests/suite.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CANDIDATES = 3, WAIT_MS = 60000 };

static struct recipe r;
static struct command candidate[CANDIDATES];

/*
 * It writes its process id once the process that is to stop it exists, the script's third child, and works
 * until it is stopped.
 */
#define LEADS                                                                                                \
    "exec leader.sh job sh -c 'until [ \"$(wc -w </proc/$PPID/task/$PPID/children)\" -ge 3 ]; do :; done; "  \
    "echo $$ >&9; exec sleep 600'"

static void setup(void)
{
    recipe_open(&r);
}

static void teardown(void)
{
    recipe_close(&r);
}

/* Which candidate leads now? Waits until one does; without: not this one, whose end was seen. */
static int next_leader(int without)
{
    struct pollfd p[CANDIDATES];
    int leader = -1;

    for (int i = 0; i < CANDIDATES; i++) {
        p[i].fd = i == without ? -1 : candidate[i].note_fd;
        p[i].events = POLLIN;
    }
    int n = poll(p, CANDIDATES, WAIT_MS);
    ck_assert_msg(n == 1, "%d of them lead, or have ended: %d, %d, %d", n, p[0].revents, p[1].revents,
                  p[2].revents);
    for (int i = 0; i < CANDIDATES; i++)
        leader = p[i].revents != 0 ? i : leader;
    return leader;
}

/* The COMMAND of this candidate, which has just become the leader. */
static pid_t its_work(int leader)
{
    return (pid_t)strtol(command_note(&candidate[leader]), NULL, 10);
}

/* Only its script dies, or everything on its host. */
START_TEST(another_candidate_leads_when_the_leader_is_killed)
{
    for (int i = 0; i < CANDIDATES; i++)
        recipe_start(&r, &candidate[i], LEADS);
    int first = next_leader(-1);
    pid_t work = its_work(first);
    for (int i = 0; i < CANDIDATES; i++)
        ck_assert(command_is_silent(&candidate[i]));
    if (_i == 0) {
        kill(candidate[first].pid, SIGKILL);
    } else {
        recipe_signal_all(&candidate[first], SIGKILL);
        for (int i = 0; i < RECIPE_SERVERS; i++) /* it was not released, so it expires */
            live_command(&r.server[i], "PEXPIRE leader:job 1");
    }
    ck_assert_int_eq(command_end(&candidate[first]), 128 + SIGKILL);
    command_await_gone(work);
    its_work(next_leader(first));
    for (int i = 0; i < CANDIDATES; i++)
        ck_assert(i == first || command_is_silent(&candidate[i]));
    for (int i = 0; i < CANDIDATES; i++)
        recipe_signal_all(&candidate[i], SIGKILL);
}
END_TEST

START_TEST(a_leader_that_loses_the_lock_stops_with_75)
{
    recipe_start(&r, &candidate[0], "LEADER_TTL=2s " LEADS);
    pid_t work = its_work(0);
    for (int i = 0; i < RECIPE_SERVERS; i++)
        live_command(&r.server[i], "SET leader:job other PX 60000");
    ck_assert_int_eq(command_end(&candidate[0]), 75);
    command_await_gone(work);
    ck_assert_int_eq(recipe_on(&r, "leader:job"), RECIPE_SERVERS);
}
END_TEST

/* Its final work is done under the lock. */
START_TEST(a_leader_that_gets_a_signal_ends_its_work_first)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP};

    recipe_start(&r, &candidate[0],
                 "exec leader.sh job sh -c 'trap \"sleep 0.1; redlock status leader:job | tail -n 1 >&9; "
                 "exit 5\" TERM;"
                 " echo $$ >&9; while :; do sleep 0.01; done'");
    its_work(0);
    kill(candidate[0].pid, signals[_i]);
    ck_assert_ptr_nonnull(strstr(command_note(&candidate[0]), "leader:job: held by "));
    ck_assert_int_eq(command_end(&candidate[0]), 5);
    ck_assert_int_eq(recipe_on(&r, "leader:job"), 0);
}
END_TEST

/*
 * The signal comes before the first of these commands of leader.sh or, with "", while it waits for its work.
 * The work has ended before the second one runs. Bash runs a DEBUG trap before each command.
 */
static const struct {
    const char *signal_before, *gone_before;
} stops[] = {
    {"work=$!", "none"},
    {"[ -z \"$stopped\" ]", "kill \"$work\""},
    {"", "[ -n \"$stopped\" ]"},
};

enum { STOPS = sizeof stops / sizeof stops[0] };

START_TEST(a_stopped_leader_exits_with_the_status_of_its_work)
{
    char script[1000];

    snprintf(
        script, sizeof script,
        "export SIGNAL_BEFORE='%s' GONE_BEFORE='%s' STEP='case $BASH_COMMAND in"
        " \"$SIGNAL_BEFORE\") until [ -e ready ]; do :; done; kill -HUP $$;;"
        " \"$GONE_BEFORE\"*) while kill -0 \"$work\" 2>/dev/null; do :; done;; esac'\n"
        "exec bash -T -c 'trap \"$STEP\" DEBUG; . \"$0\"' \"$(command -v leader.sh)\" job sh -c "
        "'trap \"exit 5\" TERM; : >ready; until [ \"$(wc -w </proc/$PPID/task/$PPID/children)\" -ge 3 ]; "
        "do :; done; echo $$ >&9; while :; do sleep 0.01; done'",
        stops[_i].signal_before, stops[_i].gone_before);
    recipe_start(&r, &candidate[0], script);
    if (stops[_i].signal_before[0] == '\0') {
        its_work(0);
        kill(candidate[0].pid, SIGHUP);
    }
    ck_assert_int_eq(command_end(&candidate[0]), 5);
    ck_assert_int_eq(recipe_on(&r, "leader:job"), 0);
}
END_TEST

START_TEST(a_signal_after_the_work_does_not_change_the_status)
{
    recipe_start(&r, &candidate[0],
                 "exec bash -c 'redlock() { command redlock \"$@\"; echo released >&9; read -r _ <go; }; "
                 "mkfifo go; . \"$0\"' \"$(command -v leader.sh)\" job sh -c 'exit 5'");
    ck_assert_str_eq(command_note(&candidate[0]), "released");
    kill(candidate[0].pid, SIGHUP);
    recipe_run(&r, &candidate[1], "echo >go");
    ck_assert_int_eq(command_end(&candidate[0]), 5);
    ck_assert_int_eq(recipe_on(&r, "leader:job"), 0);
}
END_TEST

START_TEST(no_candidate_leads_without_the_lock)
{
    recipe_start(&r, &candidate[0], "REDLOCK_URLS=http://a " LEADS);
    ck_assert_int_eq(command_end(&candidate[0]), 65);
    ck_assert_ptr_null(command_last_note(&candidate[0]));
}
END_TEST

Suite *suite_recipes_leader(void)
{
    Suite *suite = suite_create("recipes_leader");
    TCase *tc = suite_case(suite, "three servers", setup, teardown);

    tcase_set_timeout(tc, 150);
    tcase_add_loop_test(tc, another_candidate_leads_when_the_leader_is_killed, 0, 2);
    tcase_add_test(tc, a_leader_that_loses_the_lock_stops_with_75);
    tcase_add_loop_test(tc, a_leader_that_gets_a_signal_ends_its_work_first, 0, 3);
    tcase_add_loop_test(tc, a_stopped_leader_exits_with_the_status_of_its_work, 0, STOPS);
    tcase_add_test(tc, a_signal_after_the_work_does_not_change_the_status);
    tcase_add_test(tc, no_candidate_leads_without_the_lock);
    return suite;
}
