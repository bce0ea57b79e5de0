/* SPDX-License-Identifier: MIT */
/*
 * The ACL SETUSER line at the end of the output of `redlock doctor`. A user with these rights can do what the
 * options need, and each right is needed.
 */
#define _POSIX_C_SOURCE 200809L
#include "tests/fixtures/command.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

#include <stdio.h>
#include <string.h>

enum { LINE = 1024, WORDS = 48, FIRST = 4 /* words after ACL SETUSER NAME on */ };

/* The part of the URL before the host; the password comes from elsewhere. */
#define ADMIN ""
#define USER  "redlock:@"

static struct live_server server;
static struct command a;
static char line[LINE], text[LINE];
static const char *words[WORDS];
static size_t n_words;

static const struct {
    const char *options, *db;
    const char *lock; /* NULL: several, by -l */
} uses[] = {
    {"--restart-guard=off", "", "nightly"},
    {"--restart-guard=off --fence", "", "nightly"},
    {"--restart-guard=off --wake-hint", "", "nightly"},
    {"--restart-guard=off --canary", "", "nightly"},
    {"--restart-guard=off --legacy=always", "", "nightly"},
    {"--restart-guard=off --slots=2", "", "night*ly"},
    {"--restart-guard=off --legacy=auto", "", "nightly"},
    {"--restart-guard=if-permitted", "", "nightly"},
    {"--restart-guard=required --fence --wake-hint --canary", "/3", "nightly"},
    {"--restart-guard=off --fence", "", "n{i}ght*ly[a]\\?\"b c"},
    {"--restart-guard=off", "", NULL},
    {"--restart-guard=required", "/3", NULL},
    {"--restart-guard=off --once=T1", "", "nightly"},
};
enum { USES = sizeof uses / sizeof uses[0] };

static void setup(void)
{
    memset(&server, 0, sizeof server);
    live_start(&server);
    live_log(&server);
}

static void teardown(void)
{
    live_remove(&server);
}

#define LOCKS   "$N ${L:+\"$L\"}"
#define SEVERAL "-l anna -l ber*ta -l carl"

/*
 * SCRIPT in bash: $R is the command, $O the options, $U the user's URL, and the locks are $N ${L:+"$L"}.
 * Returns its exit status.
 */
static int run(int use, const char *login, const char *script)
{
    static char full[2 * LINE], url[128], lock[128];

    snprintf(url, sizeof url, "redis://%s127.0.0.1:%d%s", login, server.port, uses[use].db);
    snprintf(lock, sizeof lock, "L=%s", uses[use].lock != NULL ? uses[use].lock : "");
    snprintf(full, sizeof full, "set -f; R=$RDL_COMMAND O='%s' U='%s' N='%s'; %s", uses[use].options, url,
             uses[use].lock != NULL ? "" : SEVERAL, script);
    command_set_script(&a, &server, 1, full);
    command_setenv(&a, lock);
    if (login[0] != '\0')
        command_setenv(&a, "REDLOCK_PASSWORD=secret");
    return command_run(&a);
}

/* doctor waits 1 s for each reply: again if that was too short. */
static int examine(int use, const char *login, const char *script)
{
    int status, tries = 0;

    do
        status = run(use, login, script);
    while (strstr(a.out, "timed out") != NULL && ++tries < 3);
    return status;
}

static int doctor(int use, const char *login)
{
    return examine(use, login, "$R doctor --attempt 2s -u $U $O " LOCKS);
}

/* The last line of its output, and its words. */
static void take_line(int use)
{
    size_t len, begin;

    ck_assert_msg(doctor(use, ADMIN) <= 1, "%d: %s%s", a.status, a.out, a.err);
    len = strlen(a.out) - 1;
    for (begin = len; begin > 0 && a.out[begin - 1] != '\n';)
        begin--;
    snprintf(line, sizeof line, "%.*s", (int)(len - begin), a.out + begin);
    ck_assert_msg(strncmp(line, "ACL SETUSER redlock on ", 23) == 0, "%s", a.out);
    snprintf(text, sizeof text, "%s", line);
    n_words = 0;
    for (char *p = strtok(text, " "); p != NULL; p = strtok(NULL, " ")) {
        ck_assert_uint_lt(n_words, WORDS);
        words[n_words++] = p;
    }
}

/* As it is pasted, except for one word, with a password for a new user. 0: no word is left out. */
static void grant_without(size_t left_out)
{
    char command[LINE] = "ACL SETUSER redlock reset on >secret";
    size_t len = strlen(command);

    for (size_t k = FIRST; k < n_words; k++)
        if (k != left_out)
            len += (size_t)snprintf(command + len, sizeof command - len, " %s", words[k]);
    ck_assert_msg(strcmp(live_command(&server, "%s", command), "+OK\r\n") == 0, "%s: %s", command,
                  server.reply);
}

/* ---------------------------------------------------------------- the rights are enough */

/* Until it is renewed: in the trace, that follows the script that renews. */
static const char use_it[] =
    "T=$(mktemp build/rights.XXXXXX); $R run --ttl 6s --max-ttl 6s --attempt 1500ms -w 60 --trace=$T -u $U "
    "$O " LOCKS " -c "
    "\"until sed -n '/or-1 end \\(end for\\|if\\|redis.call(.SET\\)/,\\$p' $T | grep -q '< .:1';"
    " do sleep 0.02; done; echo in\"; S=$?; rm $T; exit $S";

START_TEST(the_acl_line_is_enough_to_get_renew_and_release_a_lock)
{
    take_line(_i);
    ck_assert_msg(strcmp(live_command(&server, "%s", line), "+OK\r\n") == 0, "%s: %s", line, server.reply);
    live_command(&server, "ACL SETUSER redlock >secret");
    ck_assert_msg(run(_i, USER, use_it) == 0, "%d: %s\n%s", a.status, line, a.err);
    ck_assert_str_eq(a.out, "in\n");
    ck_assert_msg(command_count(a.err, "\n") ==
                      command_count(a.err, "; waiting") + command_count(a.err, "; it can be used in "),
                  "%s\n%s", line, a.err);
    ck_assert_msg(doctor(_i, USER) <= 1 && strstr(a.out, "lacks") == NULL, "%s%s", a.out, a.err);
    assert_has(a.out, line);
}
END_TEST

START_TEST(the_acl_line_is_enough_for_acquire_extend_and_release)
{
    take_line(0);
    grant_without(0);
    ck_assert_msg(run(0, USER,
                      "export REDLOCK_TOKEN=$($R acquire --ttl 8s --attempt 2s -u $U $O $L) &&"
                      " $R extend --ttl 9s --attempt 2s -u $U $O $L && $R release --attempt 2s -u $U $L") ==
                      0,
                  "%s", a.err);
    ck_assert_str_eq(a.err, "");
    ck_assert_str_eq(live_command(&server, "DBSIZE"), ":0\r\n");
}
END_TEST

/* ---------------------------------------------------------------- no right is unnecessary */

/* Without this right everything works, if less well; or it was not tested. */
static int is_warned(int use, const char *word)
{
    return strcmp(word, "+evalsha") == 0 || strcmp(word, "+getrange") == 0 ||
           strstr(word, ":doctor:") != NULL ||
           (strcmp(word, "+info") == 0 && strstr(uses[use].options, "required") == NULL);
}

/* The line with the missing rights, up to its remedy. */
static const char *missing_rights(void)
{
    static char message[LINE];
    const char *at = strstr(a.out, "lacks ");

    if (at == NULL)
        at = strstr(a.out, "the user may not run a command");
    ck_assert_msg(at != NULL, "%s%s", a.out, a.err);
    snprintf(message, sizeof message, "%.*s", (int)(strstr(at, "; remedy: ") - at), at);
    return message;
}

START_TEST(doctor_names_each_missing_right)
{
    char lacks[LINE];

    take_line(_i);
    for (size_t k = FIRST; k < n_words; k++) {
        grant_without(k);
        int status = doctor(_i, USER);
        ck_assert_msg(status == (is_warned(_i, words[k]) ? 1 : 77), "%s: %d\n%s%s", words[k], status, a.out,
                      a.err);
        if (strcmp(words[k], "+select") == 0)
            snprintf(lacks, sizeof lacks, "'select'");
        else
            snprintf(lacks, sizeof lacks, " %s", words[k]);
        ck_assert_msg(strstr(missing_rights(), lacks) != NULL, "%s\n%s%s", lacks, a.out, a.err);
        assert_lacks(a.out, "secret");
    }
}
END_TEST

/* How run reacts: it fails, or reports what is missing; only these rights cause no message. */
static int is_unreported(const char *word)
{
    static const char *const none[] = {"+evalsha", "+getrange", "+type", "+rpush", "+blpop", NULL};
    size_t k = 0;

    while (none[k] != NULL && strcmp(none[k], word) != 0)
        k++;
    return none[k] != NULL || strstr(word, ":doctor:") != NULL || strstr(word, ":wake") != NULL;
}

/* The lease ends before the command does, unless it is extended. */
static const char by_token[] =
    "export REDLOCK_TOKEN=$($R acquire -w 1 --ttl 8s --attempt 2s -u $U $O " LOCKS " | cut -d ' ' -f 1);"
    " $R extend --ttl 9s --attempt 2s -u $U --restart-guard=off " LOCKS " &&"
    " $R release --attempt 2s -u $U " LOCKS;
static const char by_run[] = "$R run -w 1 --ttl 1s --attempt 250ms -u $U $O " LOCKS " sleep 5";

/* One of each kind of lock; a quarantine would make all of them fail. */
static const struct {
    int use;
    const char *script;
} kinds[] = {{0, by_token}, {1, by_token}, {4, by_run}, {9, by_token}, {USES - 1, by_run}};

START_TEST(run_fails_or_warns_if_a_right_is_missing)
{
    int use = kinds[_i].use;

    take_line(use);
    for (size_t k = FIRST; k < n_words; k++) {
        if (is_unreported(words[k]))
            continue;
        live_command(&server, "FLUSHDB");
        grant_without(k);
        int status = run(use, USER, kinds[_i].script);
        ck_assert_msg(status != 0 || a.err[0] != '\0', "%s is not needed: %s", words[k], line);
    }
}
END_TEST

START_TEST(without_a_lock_name_the_acl_line_covers_all_locks)
{
    ck_assert_int_eq(examine(0, ADMIN, "$R doctor --attempt 2s -u $U $O"), 0);
    assert_has(
        a.out,
        "\nno problems found\nnote: these servers are on this host: other hosts do not see their locks "
        "(unless they are tunnels to common servers)\nOptional: an ACL rule with no more than redlock needs, "
        "for redis-cli (new user: add >PASSWORD):\nACL SETUSER redlock on ~* +set +get +getrange +del "
        "+eval +evalsha +pttl +pexpire\n");
    live_command(&server, "ACL SETUSER eve on >secret ~nightly* +@all");
    ck_assert_int_eq(examine(0, "eve:@", "$R doctor --attempt 2s -u $U $O"), 77);
    assert_has(a.out, ": the user lacks ~redlock:doctor:*; remedy: name the lock that the user needs: "
                      "redlock doctor LOCK\n");
    ck_assert_int_eq(examine(0, "eve:@", "$R doctor --attempt 2s -u $U $O \"$L\""), 0);
    assert_has(a.out, "\nACL SETUSER eve on ~nightly ");
}
END_TEST

static TCase *add_case(Suite *suite, const char *name)
{
    TCase *tc = suite_case(suite, name, setup, teardown);

    tcase_set_timeout(tc, 120);
    return tc;
}

Suite *suite_cli_rights(void)
{
    Suite *suite = suite_create("cli_rights");
    TCase *tc = add_case(suite, "cli_rights");

    tcase_add_loop_test(tc, doctor_names_each_missing_right, 0, USES);
    tcase_add_loop_test(tc, run_fails_or_warns_if_a_right_is_missing, 0, COUNT(kinds));
    tcase_add_test(tc, without_a_lock_name_the_acl_line_covers_all_locks);
    return suite;
}

/* They wait for renewals and quarantines. */
Suite *suite_cli_rights_used(void)
{
    Suite *suite = suite_create("cli_rights_used");
    TCase *tc = add_case(suite, "cli_rights_used");

    tcase_add_loop_test(tc, the_acl_line_is_enough_to_get_renew_and_release_a_lock, 0, USES);
    tcase_add_test(tc, the_acl_line_is_enough_for_acquire_extend_and_release);
    return suite;
}
