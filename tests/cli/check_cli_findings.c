/* SPDX-License-Identifier: MIT */
/* What `redlock doctor` finds about several servers: their clocks, what they keep on disk. Rule R38. */
#include "redlock/cli/doctor/checks.h"
#include "redlock/cli/doctor/findings.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/options/verb_table.h"
#include "redlock/cli/servers/query.h"
#include "redlock/cli/verbs/start.h"
#include "redlock/redlock.h"
#include "tests/suite.h"

#include <stdio.h>
#include <string.h>

enum { CLOCKS_MAX = 4, NONE = INT32_MIN };

static struct rdl_cli_query query;
static const struct rdl_cli_sentinels sentinels[RDL_SERVERS_MAX]; /* no server is a group */
static struct rdl_cli_options options;

/* The servers 127.0.0.1, 127.0.0.2 and so on. */
static void open_query(size_t n)
{
    static char url[CLOCKS_MAX][32];
    char *argv[CLOCKS_MAX + 1] = {NULL};
    int status;

    for (size_t i = 0; i < n; i++) {
        snprintf(url[i], sizeof url[i], "-uredis://127.0.0.%zu", i + 1);
        argv[i] = url[i];
    }
    ck_assert_int_eq(rdl_cli_options_read(&options, RDL_CLI_DOCTOR, (int)n, argv, &status), 1);
    ck_assert_int_eq(rdl_cli_query_open(&query, &options), 0);
}

static const struct {
    size_t n;
    int32_t clock_ms[CLOCKS_MAX]; /* NONE: it reports no time */
    uint32_t rtt_ms;
    const char *finding; /* the only one; NULL: none */
} clocks[] = {
    {1, {5000}, 0, NULL},
    {2, {0, 0}, 0, NULL},
    /* of two, the slow one */
    {2, {0, -5000}, 0, "2: its clock is 5.0 s behind that of 127.0.0.1:6379"},
    {2, {0, 5000}, 0, "1: its clock is 5.0 s behind that of 127.0.0.2:6379"},
    /* of more, the one that is far from the middle */
    {3, {0, 5000, 0}, 0, "2: its clock is 5.0 s ahead of that of 127.0.0.3:6379"},
    {3, {0, -5000, 0}, 0, "2: its clock is 5.0 s behind that of 127.0.0.1:6379"},
    {4, {0, 5000, NONE, 0}, 0, "2: its clock is 5.0 s ahead of that of 127.0.0.4:6379"},
    {2, {NONE, 5000}, 0, NULL},
    /* one second is allowed, plus half of each round trip */
    {2, {0, 1000}, 0, NULL},
    {2, {0, 1001}, 0, "1: its clock is 1.0 s behind that of 127.0.0.2:6379"},
    {2, {0, 1200}, 200, NULL},
    {2, {0, 1201}, 200, "1: its clock is 1.2 s behind that of 127.0.0.2:6379"},
};

START_TEST(a_clock_that_is_more_than_a_second_off_is_named)
{
    static struct rdl_cli_checks checks[RDL_SERVERS_MAX];
    static struct rdl_cli_findings f;
    char line[300] = "";
    size_t n = 0;

    open_query(clocks[_i].n);
    for (size_t i = 0; i < clocks[_i].n; i++) {
        checks[i].is_ticking = 1;
        checks[i].has_clock = clocks[_i].clock_ms[i] != NONE;
        checks[i].clock_ms = clocks[_i].clock_ms[i];
        checks[i].rtt_ms = clocks[_i].rtt_ms;
    }
    rdl_cli_findings(&query, checks, sentinels, &f);
    for (size_t i = 0; i < f.n; i++) {
        if (strcmp(f.at[i].id, "clock") != 0)
            continue;
        snprintf(line, sizeof line, "%d: %s", f.at[i].server + 1, f.at[i].what);
        n++;
    }
    ck_assert_str_eq(line, clocks[_i].finding != NULL ? clocks[_i].finding : "");
    ck_assert_uint_eq(n, clocks[_i].finding != NULL);
}
END_TEST

/* Each server, by a letter: L keeps a log and syncs it always, l each second, s has snapshots, n nothing. */
static const struct {
    const char *servers;
    int guard;            /* enum rdl_guard */
    const char *findings; /* status, server (0: all) and the text up to the colon, of each */
} losses[] = {
    {"LLL", RDL_GUARD_REQUIRED, ""},
    {"nLn", RDL_GUARD_REQUIRED,
     "0 0 not every lock is kept on disk (appendonly, appendfsync) by 127.0.0.1:6379, 127.0.0.3:6379|"},
    {"nLn", RDL_GUARD_OFF, "1 1 it keeps nothing on disk|1 3 it keeps nothing on disk|"},
    {"nls", RDL_GUARD_IF_PERMITTED,
     "0 0 not every lock is kept on disk (appendonly, appendfsync) by 127.0.0.1:6379, 127.0.0.2:6379, "
     "127.0.0.3:6379|"},
    {"nls", RDL_GUARD_OFF,
     "1 1 it keeps nothing on disk|1 2 appendfsync is everysec|1 3 it keeps no log (appendonly no)|"},
};

START_TEST(a_loss_that_the_guard_makes_safe_is_one_note)
{
    static struct rdl_cli_checks checks[RDL_SERVERS_MAX];
    static struct rdl_cli_findings f;
    char lines[1000] = "";
    size_t n = strlen(losses[_i].servers);

    open_query(n);
    options.guard = losses[_i].guard;
    for (size_t i = 0; i < n; i++) {
        char kept = losses[_i].servers[i];
        query.host[i].has_info = query.host[i].has_uptime = 1;
        query.host[i].uptime_s = 900;
        query.host[i].run_id[0] = (char)('a' + i);
        query.host[i].has_log = kept == 'L' || kept == 'l';
        checks[i].is_there = checks[i].has_fsync = checks[i].has_save = 1;
        strcpy(checks[i].fsync, kept == 'L' ? "always" : "everysec");
        strcpy(checks[i].save, kept == 's' ? "60 1" : "");
    }
    rdl_cli_findings(&query, checks, sentinels, &f);
    for (size_t i = 0; i < f.n; i++) {
        const char *end = strstr(f.at[i].what, ": a ");
        if (strcmp(f.at[i].id, "persistence") != 0 && strcmp(f.at[i].id, "appendfsync") != 0)
            continue;
        ck_assert_ptr_nonnull(end);
        snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "%d %d %.*s|", f.at[i].status,
                 f.at[i].server + 1, (int)(end - f.at[i].what), f.at[i].what);
        ck_assert_ptr_nonnull(strstr(f.at[i].remedy, "set appendonly yes and appendfsync always"));
    }
    ck_assert_str_eq(lines, losses[_i].findings);
}
END_TEST

Suite *suite_cli_findings(void)
{
    Suite *suite = suite_create("cli_findings");
    TCase *tc = suite_case(suite, "clocks", NULL, NULL);

    tcase_add_loop_test(tc, a_clock_that_is_more_than_a_second_off_is_named, 0, COUNT(clocks));
    tc = suite_case(suite, "losses", NULL, NULL);
    tcase_add_loop_test(tc, a_loss_that_the_guard_makes_safe_is_one_note, 0, COUNT(losses));
    return suite;
}
