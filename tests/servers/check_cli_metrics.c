/* SPDX-License-Identifier: MIT */
/* `redlock list --format prometheus` on real servers. promtool.sh has Prometheus read such metrics. */
#define _POSIX_C_SOURCE 200809L
#include "tests/fixtures/command.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 3 };

#define TOKEN "00112233445566778899aabbccddeeff00000001"
#define OTHER "00112233445566778899aabbccddeeff00000002"

static struct live_server server[N];
static struct command a;

static void start(void)
{
    live_start_all(server, N);
}

static void stop(void)
{
    live_remove_all(server, N);
}

/* redlock list --format prometheus OPTION SERVERS... PREFIX */
static int metrics(const char *option, const char *prefix)
{
    memset(&a, 0, sizeof a);
    command_add_all(&a,
                    (const char *const[]){"list", "--format", "prometheus", "--attempt=10s", option, NULL});
    command_add_servers(&a, server, N);
    command_add(&a, prefix);
    return command_run(&a);
}

static const char off[] = "--restart-guard=off";

/* On the servers from first to last. */
static void set(int first, int last, const char *name, const char *value)
{
    for (int i = first; i <= last; i++)
        live_command(&server[i], "SET \"%s\" %s PX 600000", name, value);
}

/* The value of a metric; NULL: it has none with these labels. */
static const char *value_of(const char *metric, const char *labels)
{
    static char value[40];
    char begin[200];

    snprintf(begin, sizeof begin, "\n%s%s ", metric, labels);
    const char *at = strstr(a.out, begin);
    if (at == NULL)
        return NULL;
    at += strlen(begin);
    snprintf(value, sizeof value, "%.*s", (int)strcspn(at, "\n"), at);
    return value;
}

static int is_value(const char *metric, const char *labels, const char *value)
{
    const char *found = value_of(metric, labels);

    return found != NULL && strcmp(found, value) == 0;
}

/* Each server has its digit of votes. */
static void expect_votes(const char *lock, const char *votes)
{
    for (int i = 0; i < N; i++) {
        char labels[100];
        const char vote[] = {votes[i], '\0'};
        snprintf(labels, sizeof labels, "{lock=\"%s\",server=\"127.0.0.1:%d\"}", lock, server[i].port);
        ck_assert_msg(is_value("redlock_lock_vote", labels, vote), "%d: %s", i, a.out);
    }
}

static void expect_usable(const char *usable)
{
    for (int i = 0; i < N; i++) {
        char labels[100];
        const char is_usable[] = {usable[i], '\0'};
        snprintf(labels, sizeof labels, "{server=\"127.0.0.1:%d\"}", server[i].port);
        ck_assert_msg(is_value("redlock_server_usable", labels, is_usable), "%d: %s", i, a.out);
    }
}

/* No two samples have the same name and labels, and each metric is one block under its HELP and TYPE. */
static void expect_wellformed(void)
{
    char last[100] = "";
    size_t types = 0;

    for (const char *p = a.out; *p != '\0'; p += strcspn(p, "\n") + 1) {
        char series[1200] = "\n", name[100];
        ck_assert_uint_lt(strcspn(p, "\n"), sizeof series - 1);
        if (sscanf(p, "# TYPE %99s gauge", last) == 1)
            types++;
        if (*p == '#')
            continue;
        const char *end = p + strcspn(p, "\n");
        while (end > p && *end != ' ')
            end--;
        ck_assert(end > p);
        strncat(series, p, (size_t)(end - p) + 1);
        ck_assert_msg(command_count(a.out, series) == 1, "twice: %s", series);
        snprintf(name, sizeof name, "%.*s", (int)strcspn(p, "{ "), p);
        ck_assert_msg(strcmp(name, last) == 0, "%s under %s", name, last);
    }
    ck_assert_uint_eq(command_count(a.out, "# HELP redlock_"), types);
    ck_assert_uint_eq(types, 7);
}

START_TEST(owner_is_a_label_only_on_request)
{
    for (int i = 0; i < N; i++)
        live_command(&server[i], "SET owned 00112233445566778899aabbccddeeff00000001@web-3:4711 PX 600000");
    command_set_script(&a, server, N,
                       "$RDL_COMMAND list --attempt=10s --format prometheus --metrics-owner owned;"
                       "$RDL_COMMAND list --attempt=10s --format prometheus owned;"
                       "$RDL_COMMAND list --restart-guard=off --metrics-owner; [ $? -eq 64 ]");
    ck_assert_int_eq(command_run(&a), 0);
    ck_assert_uint_eq(command_count(a.out, "redlock_lock_held{lock=\"owned\",owner=\"web-3:4711\"} 1\n"), 1);
    ck_assert_uint_eq(command_count(a.out, "redlock_lock_held{lock=\"owned\"} 1\n"), 1);
    ck_assert_uint_eq(command_count(a.out, "owner="), 1);
    assert_has(a.err, "--metrics-owner works only with --format prometheus");
}
END_TEST

START_TEST(metrics_have_what_the_servers_hold)
{
    const char *left;
    long now;

    set(0, 2, "all", TOKEN);
    set(1, 2, "two", TOKEN);
    set(0, 0, "two", OTHER);
    set(2, 2, "rest", TOKEN); /* of a crash: free */
    for (int i = 0; i < N; i++)
        live_command(&server[i], "SET forever " TOKEN);
    set(0, 2, "foreign", "worker-7");
    ck_assert_msg(metrics(off, "") == 0, "%s", a.err);
    ck_assert_str_eq(a.err, "");
    expect_wellformed();
    ck_assert(is_value("redlock_lock_held", "{lock=\"all\"}", "1"));
    ck_assert(is_value("redlock_lock_held", "{lock=\"two\"}", "1"));
    expect_votes("all", "111");
    expect_votes("two", "011");
    left = value_of("redlock_lock_remaining_seconds", "{lock=\"two\"}");
    ck_assert(left != NULL && strtod(left, NULL) > 0 && strtod(left, NULL) <= 600);
    ck_assert(is_value("redlock_lock_remaining_seconds", "{lock=\"forever\"}", "+Inf"));
    assert_lacks(a.out, "rest");
    assert_lacks(a.out, "foreign");
    expect_usable("111");
    now = strtol(value_of("redlock_list_timestamp_seconds", ""), NULL, 10);
    ck_assert_int_gt(now, 1700000000);
    ck_assert(is_value("redlock_list_complete", "", "1"));
}
END_TEST

START_TEST(metrics_are_right_after_kill_9)
{
    command_set_script(&a, server, N,
                       "coproc $RDL_COMMAND hold --restart-guard=off --attempt=5s --ttl=60s nightly;"
                       " read -r token <&${COPROC[0]}; kill -9 $COPROC_PID;"
                       " $RDL_COMMAND list --attempt=10s --format=prometheus night");
    ck_assert_msg(command_run(&a) == 0, "%s", a.err);
    ck_assert(is_value("redlock_lock_held", "{lock=\"nightly\"}", "1"));
    for (int i = 0; i < N; i++)
        live_command(&server[i], "DEL nightly");
    ck_assert_int_eq(metrics(off, ""), 0);
    expect_wellformed();
    assert_lacks(a.out, "nightly");
}
END_TEST

START_TEST(an_incomplete_list_of_metrics_fails_with_69)
{
    set(0, 2, "nightly", TOKEN);
    live_kill(&server[0]);
    ck_assert_int_eq(metrics(off, ""), 0);
    expect_wellformed();
    expect_votes("nightly", "011");
    expect_usable("011");
    live_kill(&server[1]);
    ck_assert_int_eq(metrics(off, ""), 69);
    expect_wellformed();
    ck_assert(is_value("redlock_list_complete", "", "0"));
    assert_lacks(a.out, "nightly");
    assert_has(a.err, "redlock: the list may be incomplete: 1 of 3 servers were searched");
}
END_TEST

/* A majority was searched, but the third server, which might have it, was not: it may be held. */
START_TEST(a_lock_whose_state_is_unknown_makes_metrics_incomplete)
{
    set(1, 1, "nightly", TOKEN);
    live_kill(&server[0]);
    ck_assert_int_eq(metrics(off, ""), 69);
    assert_lacks(a.out, "nightly");
    ck_assert(is_value("redlock_list_complete", "", "0"));
    assert_has(a.err, "redlock: the list may be incomplete: it is unknown whether nightly is held: "
                      "see redlock status\n");
}
END_TEST

START_TEST(a_server_that_may_have_lost_locks_is_not_usable)
{
    set(0, 2, "nightly", TOKEN);
    ck_assert_int_eq(metrics("--restart-guard=required", ""), 69);
    expect_wellformed();
    assert_lacks(a.out, "nightly");
    expect_usable("000");
}
END_TEST

/* Names with bytes that are not UTF-8, or that act on a terminal, look the same, and differ in lock_hex. */
START_TEST(no_two_locks_have_the_same_labels)
{
    set(0, 2, "a\\xff", TOKEN);
    set(0, 2, "a\\xfe", TOKEN);
    set(0, 2, "a\\n", TOKEN);
    set(0, 2, "a\\xe2\\x80\\xae", TOKEN);
    set(0, 2, "a\\xef\\xbf\\xbd", TOKEN); /* U+FFFD itself */
    set(0, 2, "a\\xc3\\xbc\\\"\\\\", TOKEN);
    ck_assert_msg(metrics(off, "a") == 0, "%s", a.err);
    expect_wellformed();
    ck_assert_uint_eq(command_count(a.out, "\nredlock_lock_held{"), 6);
    ck_assert(is_value("redlock_lock_held", "{lock=\"a\xef\xbf\xbd\",lock_hex=\"61ff\"}", "1"));
    ck_assert(is_value("redlock_lock_held", "{lock=\"a\xef\xbf\xbd\",lock_hex=\"61fe\"}", "1"));
    ck_assert(is_value("redlock_lock_held", "{lock=\"a\xef\xbf\xbd\",lock_hex=\"610a\"}", "1"));
    ck_assert(is_value("redlock_lock_held", "{lock=\"a\xef\xbf\xbd\",lock_hex=\"61e280ae\"}", "1"));
    ck_assert(is_value("redlock_lock_held", "{lock=\"a\xef\xbf\xbd\"}", "1"));
    ck_assert(is_value("redlock_lock_held", "{lock=\"a\xc3\xbc\\\"\\\\\"}", "1"));
}
END_TEST

/* The longest name, of bytes that need most room in a label. */
START_TEST(the_longest_name_is_not_cut)
{
    char name[4 * 128 + 1], hex[2 * 128 + 1];

    for (int i = 0; i < 128; i++) {
        memcpy(name + 4 * i, "\\xff", 5);
        memcpy(hex + 2 * i, "ff", 3);
    }
    set(0, 2, name, TOKEN);
    ck_assert_msg(metrics(off, "") == 0, "%s", a.err);
    expect_wellformed();
    ck_assert_uint_eq(command_count(a.out, "\xef\xbf\xbd"), 128 * 5);
    assert_has(a.out, hex);
    ck_assert_uint_eq(command_count(a.out, "\"} 1\n"), 2 + 3 + 3 - 1);
}
END_TEST

START_TEST(format_chooses_text_json_or_metrics)
{
    set(0, 2, "nightly", TOKEN);
    command_set_script(&a, server, N,
                       "list() { $RDL_COMMAND list --attempt=10s \"$@\" | cut -c 1-9; };"
                       " list --format text; list --format json; list --json; list --json --format prometheus"
                       " | head -n 1; $RDL_COMMAND list --format xml");
    ck_assert_int_eq(command_run(&a), 64);
    ck_assert_str_eq(a.out, "nightly: \n{\"locks\":\n{\"locks\":\n# HELP re\n");
    assert_has(a.err, "--format");
}
END_TEST

START_TEST(the_slots_of_a_lock_are_counted)
{
    static const char *const names[] = {"{jobs}#0",   "{jobs}#10", "{jobs}#3", "{jobs}#3:x", "a:{k}#1",
                                        "{jobs}#100", "jobs#1",    "{more}#0", "jobs"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        set(0, N - 1, names[i], TOKEN);
    ck_assert_int_eq(metrics(off, ""), 0);
    expect_wellformed();
    ck_assert(is_value("redlock_slots_held", "{lock=\"jobs\"}", "3"));
    ck_assert(is_value("redlock_slots_held", "{lock=\"more\"}", "1"));
    ck_assert(is_value("redlock_slots_held", "{lock=\"a:{k}\"}", "1"));
    ck_assert_uint_eq(command_count(a.out, "\nredlock_slots_held{"), 3);
}
END_TEST

Suite *suite_cli_metrics(void)
{
    Suite *suite = suite_create("cli_metrics");
    TCase *tc = suite_case(suite, "cli_metrics", start, stop);

    tcase_add_test(tc, the_slots_of_a_lock_are_counted);
    tcase_add_test(tc, metrics_have_what_the_servers_hold);
    tcase_add_test(tc, metrics_are_right_after_kill_9);
    tcase_add_test(tc, an_incomplete_list_of_metrics_fails_with_69);
    tcase_add_test(tc, a_lock_whose_state_is_unknown_makes_metrics_incomplete);
    tcase_add_test(tc, a_server_that_may_have_lost_locks_is_not_usable);
    tcase_add_test(tc, no_two_locks_have_the_same_labels);
    tcase_add_test(tc, the_longest_name_is_not_cut);
    tcase_add_test(tc, owner_is_a_label_only_on_request);
    tcase_add_test(tc, format_chooses_text_json_or_metrics);
    return suite;
}
