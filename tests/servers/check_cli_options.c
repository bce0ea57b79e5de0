/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/options/option_table.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/options/verb_table.h"
#include "redlock/cli/output/messages.h"
#include "redlock/cli/output/progress.h"
#include "redlock/redlock.h"
#include "tests/fixtures/command.h"
#include "tests/suite.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct rdl_cli_options o;
static char text[COMMAND_ARGS][256];
static char *argv[COMMAND_ARGS];

static int parse_words(enum rdl_cli_verb verb, int argc)
{
    while (o.n_urls > 0) /* of the previous call */
        free(o.urls[--o.n_urls]);
    rdl_cli_set_verbosity(RDL_CLI_QUIET);
    argv[argc] = NULL;
    int rc = rdl_cli_options_parse(&o, verb, argc, argv);
    return rc == 0 && !o.help ? rdl_cli_options_settle(&o) : rc;
}

/* Words separated by spaces, copied: the parser writes on them. */
static int parse_of(enum rdl_cli_verb verb, const char *line)
{
    int argc = 0;

    while (*line != '\0') {
        size_t len = strcspn(line, " ");
        snprintf(text[argc], sizeof text[argc], "%.*s", (int)len, line);
        argv[argc] = text[argc];
        argc++;
        line += len + (line[len] == ' ');
    }
    return parse_words(verb, argc);
}

static int parse(const char *line)
{
    return parse_of(RDL_CLI_RUN, line);
}

/* "OPTION -lNAME", and a command with run. */
static int parse_name(enum rdl_cli_verb verb, const char *option, const char *name)
{
    static char command[] = "true";
    int n = 0;

    if (option != NULL)
        argv[n++] = strcpy(text[0], option);
    snprintf(text[1], sizeof text[1], "-l%s", name);
    argv[n++] = text[1];
    if (verb == RDL_CLI_RUN)
        argv[n++] = command;
    return parse_words(verb, n);
}

static void clear(void)
{
    int null = open("/dev/null", O_WRONLY);

    ck_assert_int_ge(dup2(null, STDERR_FILENO),
                     0); /* the messages are tested below, as the command writes them */
    unsetenv("REDIS_URL");
    unsetenv("REDLOCK_URLS");
}

START_TEST(defaults_are_30_s_a_local_server_and_an_unlimited_wait)
{
    ck_assert_int_eq(parse("nightly -- backup --fast"), 0);
    ck_assert_uint_eq(o.n_urls, 1);
    ck_assert_str_eq(o.urls[0], "redis://127.0.0.1:6379");
    ck_assert_uint_eq(o.ttl_ms, 30000);
    ck_assert_uint_eq(o.grace_ms, 5000);
    ck_assert_uint_eq(o.attempt_ms, 0);
    ck_assert_uint_eq(o.wait_ms, RDL_CLI_FOREVER);
    ck_assert_int_eq(o.conflict_status, 1);
    ck_assert_str_eq(o.lock, "nightly");
    ck_assert_str_eq(o.command[0], "backup");
    ck_assert_str_eq(o.command[1], "--fast");
    ck_assert_ptr_null(o.command[2]);
}
END_TEST

START_TEST(every_option_is_parsed_in_every_form)
{
    ck_assert_int_eq(parse("-u redis://a -uredis://b --url redis://c --url=redis://d --ttl=12s L x"), 0);
    ck_assert_uint_eq(o.n_urls, 4);
    ck_assert_str_eq(o.urls[1], "redis://b");
    ck_assert_str_eq(o.urls[3], "redis://d");
    ck_assert_uint_eq(o.grace_ms, 2000);
    ck_assert_int_eq(parse("-qn -E 75 --grace 100ms --trace=file --password-fd 3 L x"), 0);
    ck_assert_uint_eq(o.wait_ms, 0);
    ck_assert_int_eq(o.conflict_status, 75);
    ck_assert_uint_eq(o.grace_ms, 100);
    ck_assert_str_eq(o.trace_file, "file");
    ck_assert_int_eq(o.password_fd, 3);
    ck_assert_int_eq(parse("--password-file p L x"), 0);
    ck_assert_str_eq(o.password_file, "p");
    ck_assert_int_eq(parse("--timeout 1.5 --conflict-exit-code=0 --trace L x"), 0);
    ck_assert_uint_eq(o.wait_ms, 1500);
    ck_assert_str_eq(o.trace_file, "");
    ck_assert_int_eq(parse("--ttl 8s --attempt 2s L x"), 0);
    ck_assert_uint_eq(o.attempt_ms, 2000);
    ck_assert_int_eq(parse("-qw5 L x"), 0);
    ck_assert_uint_eq(o.wait_ms, 5000);
}
END_TEST

START_TEST(options_end_at_the_lock_name)
{
    ck_assert_int_eq(parse("L sh -n --ttl"), 0);
    ck_assert_str_eq(o.command[1], "-n");
    ck_assert_int_eq(parse("L -- -x"), 0);
    ck_assert_str_eq(o.command[0], "-x");
    ck_assert_int_eq(parse("L -n x"), 64);
}
END_TEST

/* "redlock run $LOCK -- nice ./job" with an unset variable would lock "nice". */
START_TEST(a_word_that_begins_with_a_dash_is_no_lock_name)
{
    static const struct {
        enum rdl_cli_verb verb;
        const char *line;
    } refused[] = {{RDL_CLI_RUN, "-- nice ./job"},     {RDL_CLI_RUN, "-n -- nightly ./job"},
                   {RDL_CLI_RUN, "-l -- nice ./job"},  {RDL_CLI_RUN, "--lock -- nice ./job"},
                   {RDL_CLI_RUN, "-nl -x -- job"},     {RDL_CLI_ACQUIRE, "-l -n"},
                   {RDL_CLI_STATUS, "nightly --json"}, {RDL_CLI_STATUS, "-- -x"},
                   {RDL_CLI_BREAK, "-l --force"},      {RDL_CLI_RELEASE, "-- -x"},
                   {RDL_CLI_DOCTOR, "-- -x"}};
    static const struct {
        enum rdl_cli_verb verb;
        const char *line, *name;
    } taken[] = {{RDL_CLI_RUN, "--lock=-x -- job", "-x"},       {RDL_CLI_RUN, "-l-x job", "-x"},
                 {RDL_CLI_RUN, "-l nightly -- job", "nightly"}, {RDL_CLI_RUN, "nightly -c job", "nightly"},
                 {RDL_CLI_ACQUIRE, "-- nightly", "nightly"},    {RDL_CLI_DOCTOR, "--lock=-x", "-x"}};

    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        ck_assert_msg(parse_of(refused[i].verb, refused[i].line) == 64, "%s", refused[i].line);
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        ck_assert_msg(parse_of(taken[i].verb, taken[i].line) == 0, "%s", taken[i].line);
        ck_assert_str_eq(o.lock, taken[i].name);
    }
}
END_TEST

/* Two hosts locked "nightly" and "nightly\r". The other verbs must reach such a lock, so they only warn. */
START_TEST(a_name_that_looks_like_another_is_refused)
{
    static const char *const alike[] = {"nightly\r",
                                        "night\tly",
                                        " nightly",
                                        "nightly ",
                                        "'nightly'",
                                        "nightly\"",
                                        "`nightly",
                                        "$LOCK",
                                        "nightly${",
                                        "nightly$",
                                        "\xef\xbb\xbfnightly",
                                        "\xe2\x80\x9cnightly",
                                        "nightly\xc2\x85",
                                        "nightly\x85"};
    /* the last four have a byte that alone is a control character: U+00C4, U+00DF, U+0440, U+9593 */
    static const char *const names[] = {"night ly", "{a}:b",    "a$b",      "it's",        "\xc3\xbc",
                                        "\xc3\x84", "\xc3\x9f", "\xd1\x80", "\xe9\x96\x93"};
    static const enum rdl_cli_verb verbs[] = {RDL_CLI_RUN, RDL_CLI_ACQUIRE, RDL_CLI_HOLD};

    for (size_t v = 0; v < 3; v++) {
        for (size_t i = 0; i < sizeof alike / sizeof alike[0]; i++) {
            ck_assert_msg(parse_name(verbs[v], NULL, alike[i]) == 65, "%s", alike[i]);
            ck_assert_msg(parse_name(verbs[v], "--any-name", alike[i]) == 0, "%s", alike[i]);
        }
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
            ck_assert_msg(parse_name(verbs[v], NULL, names[i]) == 0, "%s", names[i]);
    }
    ck_assert_int_eq(parse_name(RDL_CLI_RELEASE, NULL, "nightly\r"), 0);
    ck_assert_int_eq(parse_name(RDL_CLI_STATUS, NULL, "nightly\r"), 0);
    ck_assert_int_eq(parse_name(RDL_CLI_STATUS, "--any-name", "nightly"), 64);
}
END_TEST

START_TEST(a_shell_command_may_precede_or_follow_the_lock_name)
{
    ck_assert_int_eq(parse("-c date L"), 0);
    ck_assert_str_eq(o.command[2], "date");
    ck_assert_int_eq(parse("L -c date"), 0);
    ck_assert_str_eq(o.command[0], "/bin/sh");
    ck_assert_str_eq(o.command[1], "-c");
    ck_assert_str_eq(o.command[2], "date");
    ck_assert_int_eq(parse("L -c date more"), 64);
    ck_assert_int_eq(parse("-c date L more"), 64);
}
END_TEST

START_TEST(every_duration_has_the_same_syntax)
{
    ck_assert_int_eq(parse("-w .5m --ttl 1h --grace 1.5 --attempt 500ms --max-ttl 2h L y"), 0);
    ck_assert_uint_eq(o.wait_ms, 30000);
    ck_assert_uint_eq(o.ttl_ms, 3600000);
    ck_assert_uint_eq(o.grace_ms, 1500);
    ck_assert_uint_eq(o.attempt_ms, 500);
    ck_assert_uint_eq(o.max_ttl_ms, 7200000);
}
END_TEST

/* One lease that is not renewed; --max-ttl keeps its default. */
START_TEST(max_hold_below_the_ttl_limits_the_lease)
{
    ck_assert_int_eq(parse("--max-hold 6s L y"), 0);
    ck_assert_uint_eq(o.ttl_ms, 6000);
    ck_assert_uint_eq(o.max_ttl_ms, 30000);
    ck_assert_uint_eq(o.grace_ms, 1000);
    ck_assert_int_eq(parse("--max-hold 1m L y"), 0);
    ck_assert_uint_eq(o.ttl_ms, 30000);
}
END_TEST

START_TEST(the_default_grace_is_a_sixth_of_the_ttl_and_5_s_at_most)
{
    ck_assert_int_eq(parse("--ttl 12s L y"), 0);
    ck_assert_uint_eq(o.grace_ms, 2000);
    ck_assert_int_eq(parse("--ttl 1m L y"), 0);
    ck_assert_uint_eq(o.grace_ms, 5000);
}
END_TEST

/* Other clients wait for that long before they trust a server that started. */
START_TEST(the_default_max_ttl_covers_the_first_lease)
{
    ck_assert_int_eq(parse("--keep 50s L y"), 0);
    ck_assert_uint_eq(o.keep_ms, 50000);
    ck_assert_uint_eq(o.ttl_ms, 30000);
    ck_assert_uint_eq(o.max_ttl_ms, 50000);
    ck_assert_uint_eq(o.grace_ms, 5000);
    ck_assert_int_eq(parse("--keep 10s --max-hold 10s L y"), 0);
    ck_assert_uint_eq(o.ttl_ms, 10000);
    ck_assert_uint_eq(o.max_ttl_ms, 30000);
    ck_assert_int_eq(parse("--keep 50s --max-ttl 1h L y"), 0);
    ck_assert_uint_eq(o.max_ttl_ms, 3600000);
}
END_TEST

/* They have no --ttl, so none limits them. */
START_TEST(verbs_without_a_lease_accept_any_attempt_and_max_ttl)
{
    static const enum rdl_cli_verb verbs[] = {RDL_CLI_STATUS, RDL_CLI_LIST, RDL_CLI_BREAK, RDL_CLI_RELEASE};

    ck_assert_int_eq(parse_of(verbs[_i], "--attempt=10s L"), 0);
    ck_assert_uint_eq(o.attempt_ms, 10000);
    if (verbs[_i] == RDL_CLI_RELEASE)
        return;
    ck_assert_uint_eq(o.max_ttl_ms, 30000);
    ck_assert_int_eq(parse_of(verbs[_i], "--max-ttl=1s L"), 0);
    ck_assert_uint_eq(o.max_ttl_ms, 1000);
}
END_TEST

START_TEST(mistakes_are_usage_errors)
{
    static const char *const lines[] = {
        /* clang-format off */
        "", "L", "L --", "-x L y", "--nosuch L y", "--verb L y", "-u", "--ttl", "--ttl= L y", "--ttl 0s L y",
        "--ttl 99ms L y", "--ttl 30d L y", "--ttl 2147483648ms L y", "--ttl 99999999999999999999s L y",
        "-w x L y", "-w -1 L y", "-E 256 L y", "-E x L y", "--grace 15s L y", "--grace 0s L y",
        "--attempt 0s L y", "--attempt 1x L y", "--attempt 7501ms L y", "--ttl 1s --attempt 251ms L y",
        "--max-hold 99ms L y", "--max-hold 2s --attempt 501ms L y", "--max-hold 2s --grace 1s L y",
        "--keep 0s L y", "--keep 1x L y", "--keep 31s --max-ttl 30s L y", "--keep 31s --max-hold 30s L y",
        "--keep 1s --legacy always L y", "--keep 1s --legacy=auto L y", "--nonblock=1 L y",
        "--password-fd x L y", "-s L y", "-u a -u b -u c -u d -u e -u f -u g -u h L y",
        /* clang-format on */
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        ck_assert_msg(parse(lines[i]) == 64, "\"%s\" gives %d", lines[i], parse(lines[i]));
}
END_TEST

START_TEST(a_lock_cannot_have_the_canarys_name)
{
    ck_assert_int_eq(parse("rdl:canary x"), 65);
    ck_assert_int_eq(parse("rdl:canary2 x"), 0);
}
END_TEST

START_TEST(a_lock_name_has_1_to_128_bytes)
{
    char line[300];
    ck_assert_int_eq(parse(" x"), 65);
    snprintf(line, sizeof line, "%0128d x", 7);
    ck_assert_int_eq(parse(line), 0);
    snprintf(line, sizeof line, "%0129d x", 7);
    ck_assert_int_eq(parse(line), 65);
}
END_TEST

START_TEST(servers_come_from_u_then_redlock_urls_then_redis_url)
{
    setenv("REDIS_URL", "redis://one", 1);
    ck_assert_int_eq(parse("L x"), 0);
    ck_assert_str_eq(o.urls[0], "redis://one");
    setenv("REDLOCK_URLS", " redis://a  redis://b redis://c ", 1);
    ck_assert_int_eq(parse("L x"), 0);
    ck_assert_uint_eq(o.n_urls, 3);
    ck_assert_str_eq(o.urls[2], "redis://c");
    ck_assert_int_eq(parse("-u redis://u L x"), 0);
    ck_assert_uint_eq(o.n_urls, 1);
    setenv("REDLOCK_URLS", "\nredis://a\n\tredis://b\r\n redis://c\n", 1);
    ck_assert_int_eq(parse("L x"), 0);
    ck_assert_uint_eq(o.n_urls, 3);
    ck_assert_str_eq(o.urls[1], "redis://b");
    setenv("REDLOCK_URLS", "1 2 3 4 5 6 7 8", 1);
    ck_assert_int_eq(parse("L x"), 64);
}
END_TEST

START_TEST(a_password_is_removed_from_the_arguments_at_once)
{
    ck_assert_int_eq(parse("-u redis://:sesame@h:1/2 -uredis://u:sesame@h L x"), 0);
    ck_assert_str_eq(argv[1], "redis://***@h:1/2");
    ck_assert_str_eq(argv[2], "-uredis://***@h");
    ck_assert_str_eq(o.urls[0], "redis://:sesame@h:1/2");
    ck_assert_str_eq(o.urls[1], "redis://u:sesame@h");
}
END_TEST

/* ---------------------------------------------------------------- the command itself */

static struct command c;

START_TEST(help_and_version_go_to_standard_output)
{
    static const char *const words[] = {"--help", "-h", "--version", "-V"};
    for (size_t i = 0; i < 4; i++) {
        memset(&c, 0, sizeof c);
        command_add(&c, words[i]);
        ck_assert_int_eq(command_run(&c), 0);
        ck_assert_str_eq(c.err, "");
        assert_has(c.out, "redlock ");
    }
    ck_assert_str_eq(c.out, "redlock " RDL_VERSION "\n");
    memset(&c, 0, sizeof c);
    command_add_all(&c, (const char *const[]){"run", "-n", "--help", "all", NULL});
    ck_assert_int_eq(command_run(&c), 0);
    assert_has(c.out, "--conflict-exit-code");
    ck_assert_str_eq(c.err, "");
    for (const char *line = c.out; *line != '\0'; line += strcspn(line, "\n") + 1)
        ck_assert_msg(strcspn(line, "\n") <= 80, "wider than a terminal: %.90s", line);
}
END_TEST

static const char *output_of(const char *first, const char *second)
{
    memset(&c, 0, sizeof c);
    command_add_all(&c, (const char *const[]){first, second, NULL});
    ck_assert_int_eq(command_run(&c), 0);
    ck_assert_str_eq(c.err, "");
    return c.out;
}

START_TEST(help_is_also_a_verb)
{
    static const char *const verbs[] = {"run",    "acquire", "extend", "release", "hold",
                                        "status", "break",   "list",   "doctor"};
    static char expected[COMMAND_TEXT];

    snprintf(expected, sizeof expected, "%s", output_of("--help", NULL));
    ck_assert_str_eq(output_of("help", NULL), expected);
    snprintf(expected, sizeof expected, "%s", output_of("--help", "all"));
    ck_assert_str_eq(output_of("help", "all"), expected);
    snprintf(expected, sizeof expected, "%s", output_of("run", "--help"));
    ck_assert_str_eq(output_of("--help", "run"), expected);
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        snprintf(expected, sizeof expected, "%s", output_of(verbs[i], "--help"));
        ck_assert_str_eq(output_of("help", verbs[i]), expected);
    }
    memset(&c, 0, sizeof c);
    command_add_all(&c, (const char *const[]){"help", "nightly", NULL});
    ck_assert_int_eq(command_run(&c), 64);
    ck_assert_str_eq(c.err,
                     "redlock: redlock help takes one verb: run, acquire, extend, release, hold, status, "
                     "list, break or doctor\nusage: redlock VERB [options] [LOCK...]   (redlock --help)\n");
}
END_TEST

START_TEST(a_mistake_is_one_line_plus_the_usage_for_bad_syntax)
{
    static const struct {
        const char *args[6];
        int status, is_syntax;
    } mistakes[] = {{{NULL}, 64, 1},
                    {{"frob"}, 64, 1},
                    {{"run"}, 64, 1},
                    {{"run", "--ttl", "0s", "L"}, 64, 0},
                    {{"run", "-u", "http://x", "L", "x"}, 65, 0},
                    {{"run", "--nosuch=sesame", "L"}, 64, 1},
                    {{"run", "", "x"}, 65, 0},
                    {{"run", "L", "-uredis://:sesame@h", "x"}, 64, 1}};
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        memset(&c, 0, sizeof c);
        command_add_all(&c, mistakes[i].args);
        ck_assert_int_eq(command_run(&c), mistakes[i].status);
        ck_assert_str_eq(c.out, "");
        ck_assert_int_eq(strncmp(c.err, "redlock: ", 9), 0);
        assert_lacks(c.err, "sesame");
        const char *more = strchr(c.err, '\n') + 1;
        if (mistakes[i].is_syntax) {
            ck_assert_int_eq(strncmp(more, "usage: redlock ", 15), 0);
            more = strchr(more, '\n') + 1;
        }
        ck_assert_str_eq(more, "");
    }
}
END_TEST

START_TEST(a_message_describes_the_mistake)
{
    static const struct {
        const char *args[6];
        const char *message;
    } rows[] = {
        {{"L"}, "no command after the lock name: redlock run [options] LOCK -- COMMAND\n"},
        {{"me@home:sesame"}, "no command after the lock name: "},
        {{"--", "true"},
         "no lock name before --: redlock run [options] LOCK -- COMMAND; put a variable in quotes"},
        {{"-l", "-usesame", "true"}, "-u is not a lock name: options must come before the lock name; "},
        {{"--ttl", "50ms", "L", "true"}, "--ttl 50ms is too short: give at least 100ms\n"},
        {{"--ttl", "2147483648ms", "L", "true"}, "--ttl 2147483648ms is too long: give at most 2147483s\n"},
        {{"--grace", "0s", "L", "true"}, "--grace 0s is too short: give at least 1ms\n"},
        {{"--help", "most"}, "--help: give nothing or \"all\" after it\nusage: redlock run "},
        {{"redis://:sesame@h", "L", "true"}, "the lock name looks like the URL of a server: give -u "},
        {{"unix:///run/redis", "L", "true"}, "the lock name looks like the URL of a server: give -u "},
        {{"--restart-guard", "x", "L", "true"}, "--restart-guard x: give if-permitted, required, "},
        {{"L", "-c"}, "-c needs a value"},
        {{"L", "--command"}, "-c needs a value"},
        {{"-c", "true", "L", "-c", "true"}, "-c is given twice"},
        {{"L", "-c", "true", "-uredis://:sesame@h"}, "one string: unexpected extra argument\n"},
        {{"L", "-n", "true"}, "-n: options must come before the lock name"},
        {{"--password-file", "p", "--password-fd", "3", "L", "true"},
         "give either --password-file or --password-fd, not both"}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        memset(&c, 0, sizeof c);
        command_add(&c, "run");
        for (size_t k = 0; k < 6 && rows[i].args[k] != NULL; k++)
            command_add(&c, rows[i].args[k]);
        ck_assert_int_eq(command_run(&c), 64);
        ck_assert_msg(strstr(c.err, rows[i].message) != NULL, "not '%s' but %s", rows[i].message, c.err);
        assert_lacks(c.err, "sesame");
    }
    memset(&c, 0, sizeof c);
    command_add_all(&c, (const char *const[]){"run", "L", "true", NULL});
    command_setenv(&c, "REDLOCK_RESTART_GUARD=x");
    ck_assert_int_eq(command_run(&c), 64);
    assert_has(c.err, "$REDLOCK_RESTART_GUARD x: give if-permitted, required, ");
}
END_TEST

START_TEST(a_message_shows_how_a_name_differs)
{
    memset(&c, 0, sizeof c);
    command_add_all(&c, (const char *const[]){"run", "L\r", "true", NULL});
    ck_assert_int_eq(command_run(&c), 65);
    ck_assert_str_eq(c.err,
                     "redlock: the lock name \"L\\u000d\" has a control character: another host may use a "
                     "name that looks the same, and both would hold a lock; correct the name, or give "
                     "--any-name\n");
    memset(&c, 0, sizeof c);
    command_add_all(&c, (const char *const[]){"run", "\xef\xbb\xbfL\xc2\xa0", "true", NULL});
    ck_assert_int_eq(command_run(&c), 65);
    assert_has(c.err, "redlock: the lock name \"\\ufeffL\\u00a0\" begins with a space, ");
    memset(&c, 0, sizeof c);
    command_add_all(&c, (const char *const[]){"list", "-uredis://127.0.0.1:1", "L\r", NULL});
    ck_assert_int_eq(command_run(&c), 69);
    assert_has(c.err, "redlock: warning: the prefix \"L\\u000d\" has a control character: lock names that "
                      "look the same do not match\n");
    memset(&c, 0, sizeof c);
    command_add_all(&c, (const char *const[]){"status", "-uredis://127.0.0.1:1", "$L", NULL});
    ck_assert_int_eq(command_run(&c), 69);
    assert_has(c.err, "redlock: warning: the lock name \"$L\" begins with a space, a quote, a $ or "
                      "a byte order mark: a name that looks the same is another lock\n");
}
END_TEST

/* An option, then a variable, then the default. */
START_TEST(max_ttl_and_canary_have_variables)
{
    setenv("REDLOCK_MAX_TTL", "2m", 1);
    setenv("REDLOCK_CANARY", "on", 1);
    ck_assert_int_eq(parse("L x"), 0);
    ck_assert_uint_eq(o.max_ttl_ms, 120000);
    ck_assert_int_eq(o.canary, 1);
    ck_assert_int_eq(parse("--max-ttl 40s L x"), 0);
    ck_assert_uint_eq(o.max_ttl_ms, 40000);
    ck_assert_int_eq(parse("--canary=off L x"), 0);
    ck_assert_int_eq(o.canary, 0);
    setenv("REDLOCK_CANARY", "off", 1);
    ck_assert_int_eq(parse("L x"), 0);
    ck_assert_int_eq(o.canary, 0);
    ck_assert_int_eq(parse("--canary L x"), 0);
    ck_assert_int_eq(o.canary, 1);
    ck_assert_int_eq(parse("--canary=on L x"), 0);
    ck_assert_int_eq(o.canary, 1);
    ck_assert_int_eq(parse("--canary= L x"), 64);
    setenv("REDLOCK_CANARY", "yes", 1);
    ck_assert_int_eq(parse("L x"), 64);
    setenv("REDLOCK_CANARY", "", 1);
    setenv("REDLOCK_MAX_TTL", "long", 1);
    ck_assert_int_eq(parse("L x"), 64);
    ck_assert_int_eq(parse_of(RDL_CLI_RELEASE, "L"), 0); /* it has no such option */
    unsetenv("REDLOCK_MAX_TTL");
    unsetenv("REDLOCK_CANARY");
}
END_TEST

/* The user may not know that a file has set it. An option on the command line comes first. */
START_TEST(a_conflict_names_the_variable_that_was_read)
{
    static const struct {
        const char *variable, *args[5], *message;
    } rows[] = {
        {"REDLOCK_MAX_TTL=20s",
         {NULL},
         "redlock: the default --ttl (30s) must be at most $REDLOCK_MAX_TTL (20s), the longest lease of "
         "any "},
        {"REDLOCK_MAX_TTL=50s", {"--max-ttl=20s", NULL}, "(30s) must be at most --max-ttl (20s), "},
        {"REDLOCK_MAX_TTL=50s", {"--keep=1m", NULL}, "--keep (60s) must be at most $REDLOCK_MAX_TTL (50s), "},
        {"REDLOCK_CANARY=on",
         {"--legacy=auto", NULL},
         "redlock: $REDLOCK_CANARY does not work with --legacy: leave it out, or give --canary=off\n"},
        {"REDLOCK_CANARY=on", {"--canary", "--legacy=auto", NULL}, "redlock: --canary does not work with "},
        {"REDLOCK_CANARY=on", {"-lK", "-lL", NULL}, "redlock: $REDLOCK_CANARY does not work with several "},
        {"REDLOCK_RESTART_GUARD=strict",
         {"--legacy=auto", NULL},
         "redlock: $REDLOCK_RESTART_GUARD of required or strict does not work with --legacy: leave it out, "
         "or give --restart-guard=if-permitted\n"},
    };

    ck_assert_uint_le(rdl_cli_option_rows, 64); /* a bit of from_variables each */
    for (int i = 0; i < COUNT(rows); i++) {
        memset(&c, 0, sizeof c);
        command_setenv(&c, rows[i].variable);
        command_add_all(&c, (const char *const[]){"run", "-uredis://127.0.0.1:1", NULL});
        command_add_all(&c, rows[i].args);
        if (rows[i].args[0] == NULL || rows[i].args[0][1] != 'l')
            command_add(&c, "L");
        command_add_all(&c, (const char *const[]){"--", "true", NULL});
        ck_assert_int_eq(command_run(&c), 64);
        assert_has(c.err, rows[i].message);
    }
}
END_TEST

START_TEST(an_empty_restart_guard_variable_is_ignored)
{
    setenv("REDLOCK_RESTART_GUARD", "", 1);
    ck_assert_int_eq(parse("L x"), 0);
    ck_assert_int_eq(o.guard, RDL_GUARD_IF_PERMITTED);
    unsetenv("REDLOCK_RESTART_GUARD");
}
END_TEST

Suite *suite_cli_options(void)
{
    Suite *s = suite_create("cli_options");
    TCase *t = suite_case(s, "the command line", clear, NULL);
    tcase_add_test(t, defaults_are_30_s_a_local_server_and_an_unlimited_wait);
    tcase_add_test(t, every_option_is_parsed_in_every_form);
    tcase_add_test(t, options_end_at_the_lock_name);
    tcase_add_test(t, a_word_that_begins_with_a_dash_is_no_lock_name);
    tcase_add_test(t, a_name_that_looks_like_another_is_refused);
    tcase_add_test(t, a_shell_command_may_precede_or_follow_the_lock_name);
    tcase_add_test(t, every_duration_has_the_same_syntax);
    tcase_add_test(t, the_default_grace_is_a_sixth_of_the_ttl_and_5_s_at_most);
    tcase_add_test(t, max_hold_below_the_ttl_limits_the_lease);
    tcase_add_test(t, the_default_max_ttl_covers_the_first_lease);
    tcase_add_loop_test(t, verbs_without_a_lease_accept_any_attempt_and_max_ttl, 0, 4);
    tcase_add_test(t, mistakes_are_usage_errors);
    tcase_add_test(t, a_lock_cannot_have_the_canarys_name);
    tcase_add_test(t, a_lock_name_has_1_to_128_bytes);
    tcase_add_test(t, servers_come_from_u_then_redlock_urls_then_redis_url);
    tcase_add_test(t, a_password_is_removed_from_the_arguments_at_once);
    tcase_add_test(t, help_and_version_go_to_standard_output);
    tcase_add_test(t, help_is_also_a_verb);
    tcase_add_test(t, a_mistake_is_one_line_plus_the_usage_for_bad_syntax);
    tcase_add_test(t, max_ttl_and_canary_have_variables);
    tcase_add_test(t, a_conflict_names_the_variable_that_was_read);
    tcase_add_test(t, an_empty_restart_guard_variable_is_ignored);
    tcase_add_test(t, a_message_describes_the_mistake);
    tcase_add_test(t, a_message_shows_how_a_name_differs);
    return s;
}
