/* SPDX-License-Identifier: MIT */
/* --log: each event has the fields that redlock.1 lists. Real servers, and jq. */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/options/options.h"
#include "redlock/cli/options/verb_table.h"
#include "redlock/cli/output/log.h"
#include "redlock/cli/output/messages.h"
#include "redlock/cli/servers/connections.h"
#include "redlock/cli/servers/resolve_again.h"
#include "redlock/redlock.h"
#include "tests/fixtures/command.h"
#include "tests/fixtures/resolver.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 3, LOG = 65536 };

static struct live_server server[N];
static struct command a;
static char logged[LOG]; /* all lines that were read so far */

static void setup(void)
{
    memset(server, 0, sizeof server);
    live_start_all(server, N);
}

static void teardown(void)
{
    live_remove_all(server, N);
}

/* ---------------------------------------------------------------- as in the manual */

/* The manual's rows of events: {"event", "has", "may"}. */
#define TABLE                                                                                                \
    "awk '/^\\.Sh / { is = $2 == \"LOG\" } is && /^\\.It Li [a-z_]+ : / {"                                   \
    " split($0, part, / Op Li | : Li /);"                                                                    \
    " printf \"{\\\"event\\\":\\\"%%s\\\",\\\"has\\\":\\\"%%s\\\",\\\"may\\\":\\\"%%s\\\"}\\n\","            \
    " $3, part[2], part[3] }' redlock/cli/redlock.1"

/* Events and fields that the manual does not have, and missing fields. */
#define COMPARE                                                                                              \
    "jq -n --slurpfile log %s --slurpfile table %s.table '"                                                  \
    "$log[] | . as $o | ([$table[] | select(.event == $o.event)] | first) as $row"                           \
    " | (($row.has // \"\" | split(\" \")) + [\"event\", \"time\", \"lock\"]) as $has"                       \
    " | select($row == null or ($has - keys - (if .event == \"message\" then [\"lock\"] else [] end)) != []" \
    " or (keys - $has - ($row.may | split(\" \"))) != []"                                                    \
    " or (.time | test(\"^20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}Z$\") | not)"    \
    " or any(.servers // [] | .[]; ([\"where\", \"vote\"] - keys) != []"                                     \
    " or (keys - [\"where\", \"vote\", \"ms\", \"left_ms\", \"error\"]) != []))'"

static void assert_is_empty(const char *shell)
{
    char line[1000];
    FILE *p = popen(shell, "r");

    ck_assert_ptr_nonnull(p);
    int is_there = fgets(line, sizeof line, p) != NULL;
    ck_assert_msg(!is_there, "not as in redlock.1: %s", line);
    ck_assert_int_eq(pclose(p), 0);
}

static void assert_as_in_manual(const char *log)
{
    char file[64], shell[2400];

    snprintf(file, sizeof file, "build/log.%ld", (long)getpid());
    FILE *f = fopen(file, "we");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_ge(fputs(log, f), 0);
    ck_assert_int_eq(fclose(f), 0);
    snprintf(shell, sizeof shell, TABLE " >%s.table && " COMPARE " 2>&1; s=$?; rm %s %s.table; exit $s", file,
             file, file, file, file);
    assert_is_empty(shell);
}

/* ---------------------------------------------------------------- reading the log */

static void assert_is(const char *line, const char *event)
{
    char begin[64];

    snprintf(begin, sizeof begin, "{\"event\":\"%s\",", event);
    ck_assert_msg(strncmp(line, begin, strlen(begin)) == 0, "not %s: %s", event, line);
}

/* The next line of the log: it is this event; NULL: any. */
static const char *next(const char *event)
{
    const char *line = command_note(&a);
    size_t n = strlen(logged);

    snprintf(logged + n, sizeof logged - n, "%s\n", line);
    if (event != NULL)
        assert_is(line, event);
    return line;
}

/* The same after any number of failed renewals. */
static const char *next_but_failures(const char *event)
{
    static const char failed[] = "{\"event\":\"renew_failed\",";
    const char *line = next(NULL);

    while (strncmp(line, failed, sizeof failed - 1) == 0)
        line = next(NULL);
    assert_is(line, event);
    return line;
}

/* Nothing follows, and all events are as in the manual. */
static void assert_end(void)
{
    ck_assert_ptr_null(command_last_note(&a));
    ck_assert_int_eq(command_end(&a), a.status);
    assert_as_in_manual(logged);
}

#define TO_9 "--log=json", "--log-fd=9"

static void run(const char *const options[], const char *script)
{
    command_set(&a, options, server, N, "nightly", script);
    command_start(&a);
}

static void start(const char *script)
{
    command_set_script(&a, server, N, script);
    command_start(&a);
}

static void occupy(void)
{
    for (int i = 0; i < N; i++)
        live_command(&server[i], "SET nightly other PX 60000");
}

static void vacate(void)
{
    for (int i = 0; i < N; i++)
        live_command(&server[i], "DEL nightly");
}

/* ---------------------------------------------------------------- run */

/* The command does not inherit the descriptor. */
START_TEST(the_log_shows_how_a_run_began_and_ended)
{
    run((const char *const[]){TO_9, "--attempt=5s", "--fence", NULL},
        "if { echo >&9; } 2>/dev/null; then exit 4; fi; exit 3");
    assert_has(next("acquired"), ",\"lock\":\"nightly\",\"id\":\"");
    assert_has(logged, ",\"fence\":");
    assert_has(logged, ",\"busy\":0,\"left_ms\":");
    assert_has(logged, "\"vote\":\"granted\",\"ms\":");
    assert_has(next("child_exit"), ",\"status\":3}");
    assert_has(next("released"), ",\"held_ms\":");
    assert_end();
    ck_assert_int_eq(a.status, 3);
    ck_assert_str_eq(a.err, ""); /* the messages are the same without a log */
}
END_TEST

START_TEST(the_command_does_not_inherit_a_text_log)
{
    run((const char *const[]){"--log=text", "--log-fd=9", NULL},
        "if { echo >&9; } 2>/dev/null; then exit 4; fi; exit 3");
    command_end(&a);
    ck_assert_int_eq(a.status, 3);
}
END_TEST

/* A socket's path may have any bytes. */
START_TEST(a_strange_socket_path_is_valid_json)
{
    char script[900];

    snprintf(
        script, sizeof script,
        "dir=$(mktemp -d) && ln -s %s \"$dir/a\\\"b\" && url=unix://$dir/a%%22b && "
        "{ \"$RDL_COMMAND\" run --log=json --log-fd=9 --restart-guard=off -u $url nightly -- true 9>&1 && "
        "\"$RDL_COMMAND\" status --json --restart-guard=off -u $url nightly && "
        "\"$RDL_COMMAND\" doctor --json --restart-guard=off -u $url nightly; } | "
        "jq -r '.. | strings | select(contains(\"a\\\"b\"))' | sort | uniq | wc -l; rm -r \"$dir\"",
        server[0].socket);
    start(script);
    ck_assert_msg(command_end(&a) == 0, "%s", a.err);
    ck_assert_int_ge(atoi(a.out), 1);
    assert_lacks(a.err, "parse error");
}
END_TEST

START_TEST(a_kept_lock_is_logged_as_kept)
{
    run((const char *const[]){TO_9, "--attempt=5s", "--keep=1m", NULL}, ":");
    next("acquired");
    next("child_exit");
    assert_has(next("kept"), ",\"reason\":\"the command has ended\",");
    assert_end();
    ck_assert_int_eq(a.status, 0);
}
END_TEST

START_TEST(each_renewal_is_logged_with_vv)
{
    run((const char *const[]){TO_9, "-vv", "--ttl=8s", "--attempt=2s", NULL}, "exec sleep 60");
    next("acquired");
    next("renewed");
    kill(a.pid, SIGTERM);
    assert_has(next("child_exit"), ",\"status\":143}");
    next("released");
    assert_end();
    assert_has(a.err, "redlock: nightly renewed\n");
}
END_TEST

START_TEST(the_logged_id_is_the_one_that_status_prints)
{
    char id[32];

    start("exec \"$RDL_COMMAND\" run --attempt=5s --log=json --log-fd=9 nightly -c"
          " '\"$RDL_COMMAND\" status --attempt=5s --json nightly | jq -r .locks[0].id'");
    const char *line = next("acquired");
    snprintf(id, sizeof id, "%.8s\n", strstr(line, "\"id\":\"") + 6);
    next("child_exit");
    next("released");
    assert_end();
    ck_assert_str_eq(a.out, id);
}
END_TEST

START_TEST(the_log_shows_why_run_waits)
{
    occupy();
    run((const char *const[]){TO_9, "--attempt=5s", NULL}, "true");
    assert_has(next("waiting"), ",\"reason\":\"the lock is held by another client\",\"servers\":[");
    assert_has(logged, "\"vote\":\"denied\",\"ms\":");
    vacate();
    ck_assert_ptr_null(strstr(next("acquired"), ",\"busy\":0,"));
    next("child_exit");
    next("released");
    assert_end();
}
END_TEST

/* With a wake hint, too, where one acquire lasts for ten seconds; and not twice. */
START_TEST(a_held_lock_is_logged_at_the_first_attempt)
{
    occupy();
    run((const char *const[]){TO_9, "--attempt=5s", "-w2", "--wake-hint", NULL}, "true");
    assert_has(next("waiting"), ",\"busy\":1,");
    next("failed");
    assert_end();
}
END_TEST

START_TEST(a_run_that_does_not_wait_logs_no_waiting)
{
    occupy();
    run((const char *const[]){TO_9, "--attempt=5s", "-n", NULL}, "true");
    assert_has(next("failed"), ",\"busy\":1,");
    assert_end();
}
END_TEST

START_TEST(a_signal_during_the_wait_is_logged_as_failed)
{
    occupy();
    run((const char *const[]){TO_9, "--attempt=5s", NULL}, "true");
    next("waiting");
    kill(a.pid, SIGTERM);
    assert_has(next("failed"), ",\"reason\":\"a signal came\",\"status\":143,");
    assert_end();
    ck_assert_int_eq(a.status, 143);
}
END_TEST

START_TEST(a_run_without_the_lock_logs_failed_with_its_exit_status)
{
    static const char *const reasons[] = {",\"reason\":\"the lock is held by another client\",\"status\":1,",
                                          ",\"status\":69,"};
    if (_i == 0)
        occupy();
    for (int i = 0; i < N && _i == 1; i++)
        live_kill(&server[i]);
    run((const char *const[]){TO_9, "--attempt=5s", "-n", NULL}, "true");
    assert_has(next("failed"), reasons[_i]);
    if (_i == 1)
        assert_has(logged, "\"error\":\"cannot connect: Connection refused\"");
    assert_end();
}
END_TEST

START_TEST(a_deleted_lock_is_logged_as_lost)
{
    run((const char *const[]){TO_9, "--ttl=8s", "--attempt=2s", NULL}, "exec sleep 60");
    next("acquired");
    vacate();
    assert_has(next("renew_failed"), ",\"reason\":\"the lock is lost\",\"servers\":[");
    assert_has(next("losing"), ",\"left_ms\":0,");
    assert_has(next("child_exit"), ",\"status\":137}");
    next("lost");
    assert_end();
    ck_assert_int_eq(a.status, 75);
}
END_TEST

START_TEST(a_lease_that_cannot_be_renewed_is_logged_as_losing)
{
    run((const char *const[]){TO_9, "--ttl=10s", "--attempt=2s", "--grace=3s", NULL}, "exec sleep 60");
    next("acquired");
    for (int i = 0; i < N; i++)
        live_kill(&server[i]);
    next("renew_failed");
    ck_assert_ptr_null(strstr(next_but_failures("losing"), ",\"left_ms\":0,"));
    next("child_exit");
    next("lost");
    assert_end();
    ck_assert_int_eq(a.status, 75);
}
END_TEST

START_TEST(a_renewal_after_a_failed_one_is_logged_without_v)
{
    run((const char *const[]){TO_9, "--ttl=12s", "--attempt=1500ms", NULL}, "exec sleep 60");
    next("acquired");
    live_freeze(&server[0]);
    live_freeze(&server[1]);
    next("renew_failed"); /* the missing votes are pending or, if checked late, unknown */
    live_thaw(&server[0]);
    live_thaw(&server[1]);
    next_but_failures("renewed");
    kill(a.pid, SIGTERM);
    next("child_exit");
    next("released");
    assert_end();
}
END_TEST

/*
 * The guide's alert: a lock is busy, and there is no fault. Two servers refuse it, and the third is not
 * waited for.
 */
START_TEST(a_busy_lock_logs_no_healthy_server_as_unknown)
{
    occupy();
    command_set_script(
        &a, server, N,
        "log=$(mktemp); for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do "
        "$RDL_COMMAND run -n --attempt=5s --ttl=20s --max-ttl=20s --restart-guard=off --log json --log-fd 9 "
        "nightly -- true 9>>\"$log\"; done; grep -c '\"event\":\"failed\"' \"$log\"; "
        "grep -E '\"vote\":\"(unknown|error)\"|timed out' \"$log\"; rm \"$log\"");
    command_run(&a);
    ck_assert_str_eq(a.out, "20\n");
}
END_TEST

START_TEST(max_hold_is_logged_as_losing_and_then_released)
{
    run((const char *const[]){TO_9, "--ttl=8s", "--attempt=2s", "--max-hold=8s", "--grace=3900ms", NULL},
        "exec sleep 60");
    next("acquired");
    assert_has(next("losing"), ",\"reason\":\"--max-hold is over\"");
    next("child_exit");
    next("released");
    assert_end();
    ck_assert_int_eq(a.status, 124);
}
END_TEST

START_TEST(a_lock_taken_before_the_release_is_logged_as_lost)
{
    run((const char *const[]){TO_9, "--attempt=5s", NULL}, "exec sleep 60");
    next("acquired");
    occupy();
    kill(a.pid, SIGTERM);
    next("child_exit");
    assert_has(next("lost"), "\"vote\":\"denied\"");
    assert_end();
    ck_assert_int_eq(a.status, 75);
}
END_TEST

/* ---------------------------------------------------------------- the other verbs */

START_TEST(acquire_extend_and_release_write_a_log)
{
    start("REDLOCK_TOKEN=$($RDL_COMMAND acquire --attempt=5s --log=json --log-fd=9 nightly);"
          " export REDLOCK_TOKEN;"
          " for verb in extend release release; do"
          " $RDL_COMMAND $verb --attempt=5s --log=json --log-fd=9 -q nightly; done; echo $REDLOCK_TOKEN");
    next("acquired");
    assert_has(next("renewed"), ",\"left_ms\":");
    assert_has(next("released"), "\"vote\":\"granted\"");
    assert_has(next("failed"), ",\"status\":1,\"servers\":[");
    assert_end();
    ck_assert_uint_ge(strlen(a.out), 40);
    a.out[40] = '\0';
    assert_lacks(logged, a.out);
}
END_TEST

START_TEST(hold_logs_how_it_ended)
{
    start(
        "exec 7<> <(:); exec \"$RDL_COMMAND\" hold --log=json --log-fd=9 --ttl=8s --attempt=2s nightly <&7");
    next("acquired");
    if (_i == 0) {
        kill(a.pid, SIGTERM);
        next("released");
    } else {
        vacate();
        next("renew_failed");
        next("losing");
        next("lost");
    }
    assert_end();
    ck_assert_int_eq(a.status, _i == 0 ? 0 : 75);
}
END_TEST

/* ---------------------------------------------------------------- standard error, and text */

/*
 * Messages, warnings and errors: of the command line, which may be before the option, and of what follows. A
 * command's own option --log is not ours.
 */
START_TEST(with_a_json_log_every_line_on_stderr_is_an_object)
{
    static const char *const scripts[] = {
        "$RDL_COMMAND run -v --log=json nightly -c true",
        "$RDL_COMMAND run --log=json; $RDL_COMMAND run --log=json --ttl=9s --grace=8s x -c x",
        "$RDL_COMMAND run --bad --log json x -- y; $RDL_COMMAND hold -qw 5 --log json --log-fd 2 x y",
        "$RDL_COMMAND run -n --attempt=5s -u redis://:s3cret@127.0.0.1:1 --log json nightly -- true",
        "$RDL_COMMAND release --log json \" x\"",
        "$RDL_COMMAND run --log json --trace nightly -- true",
        "$RDL_COMMAND run -n --log=json -u redis://no.such.host.invalid nightly -- true",
        "$RDL_COMMAND run --log=json nightly -- /no/such/command"};

    start(scripts[_i]);
    command_end(&a);
    assert_as_in_manual(a.err);
    assert_has(a.err, "{\"event\":\"message\",\"time\":\"");
}
END_TEST

START_TEST(messages_are_text_without_a_json_log_on_stderr)
{
    static const char *const scripts[] = {"$RDL_COMMAND run -n 'x ' job --log=json",
                                          "$RDL_COMMAND run -n 'x ' -- job --log=json",
                                          "$RDL_COMMAND run -l --log=json --bad x -- job",
                                          "$RDL_COMMAND run --password-file --log=json --bad x -- job",
                                          "$RDL_COMMAND run --log=json --log=text --bad x -- job",
                                          "$RDL_COMMAND run --log=json --log-fd=9 --bad x -- job",
                                          "$RDL_COMMAND status --log=json x"};

    start(scripts[_i]);
    ck_assert_int_ge(command_end(&a), 64);
    ck_assert_int_eq(strncmp(a.err, "redlock: ", 9), 0);
}
END_TEST

START_TEST(a_text_log_is_written_between_the_messages)
{
    start("$RDL_COMMAND run -v --attempt=5s --log=text --fence nightly -c 'exit 3'");
    ck_assert_int_eq(command_end(&a), 3);
    snprintf(logged, sizeof logged, "%s", a.err);
    assert_has(logged, "Z acquired lock=\"nightly\" id=\"");
    assert_has(logged, " busy=0 left_ms=");
    assert_has(logged, " granted in ");
    assert_has(logged, "Z child_exit lock=\"nightly\" id=\"");
    assert_has(logged, " status=3\n");
    assert_has(logged, "Z released lock=\"nightly\" id=\"");
    assert_has(logged, "redlock: nightly released\n");
}
END_TEST

START_TEST(a_name_of_any_bytes_is_a_json_string)
{
    start("exec $RDL_COMMAND run --any-name --attempt=5s --log=json --log-fd=9 "
          "$'a\"b\\\\c\\n\\xff\\xc3\\xa4' -c true");
    assert_has(next("acquired"), ",\"lock\":\"a\\\"b\\\\c\\u000a\\ufffd\xc3\xa4\",");
    next("child_exit");
    next("released");
    assert_end();
}
END_TEST

/* A name that had an address, and one that had none. */
START_TEST(a_server_that_moves_is_logged)
{
    static struct rdl_cli_servers s;
    char urls[2][24] = {"redis://a.test", "redis://b.test"};
    struct rdl_cli_options o = {
        .verb = RDL_CLI_DOCTOR, .password_fd = -1, .n_urls = 2, .urls = {urls[0], urls[1]}};
    siginfo_t info;
    int fd[2];

    rdl_cli_set_verbosity(RDL_CLI_QUIET);
    resolver_begin();
    resolver_set("a.test", "192.0.2.1", 6379);
    ck_assert_int_eq(pipe(fd), 0);
    rdl_cli_log_open(fd[1], _i == 0 ? RDL_CLI_LOG_JSON : RDL_CLI_LOG_TEXT, "nightly");
    ck_assert_int_eq(rdl_cli_servers_init(&s, &o), 0);
    resolver_set("a.test", "192.0.2.7", 6379);
    resolver_set("b.test", "2001:db8::1", 6379);
    for (int i = 0; i < 2; i++)
        rdl_conn_closed(&s.conn[i], RDL_E_CLOSED);
    for (uint64_t now = 1; now < 20000; now += 5000) {
        rdl_cli_lookup_turn(&s, now);
        while (waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) == 0)
            rdl_cli_lookup_turn(&s, now);
    }
    ssize_t n = read(fd[0], logged, sizeof logged - 1);
    ck_assert_int_gt((int)n, 0);
    logged[n] = '\0';
    if (_i == 0)
        assert_as_in_manual(logged);
    assert_has(
        logged,
        _i == 0
            ? ",\"lock\":\"nightly\",\"where\":\"a.test:6379\",\"from\":\"192.0.2.1\",\"to\":\"192.0.2.7\"}\n"
            : "Z moved lock=\"nightly\" where=\"a.test:6379\" from=\"192.0.2.1\" to=\"192.0.2.7\"\n");
    assert_has(logged, _i == 0 ? ",\"where\":\"b.test:6379\",\"to\":\"2001:db8::1\"}\n"
                               : " where=\"b.test:6379\" to=\"2001:db8::1\"\n");
    ck_assert_uint_eq(command_count(logged, "\n"), 2);
}
END_TEST

/* ---------------------------------------------------------------- secrets */

START_TEST(a_password_is_never_logged)
{
    struct live_server guarded = {.password = "s3cretpassword"};
    static const char *const given[] = {"s3cretpassword", "wr0ngpassword"};
    char script[400], url[64];

    live_start(&guarded);
    live_command(&guarded, "ACL SETUSER s3cretpassword on nopass ~* +@all");
    snprintf(url, sizeof url, "redis://127.0.0.1:%d", guarded.port);
    snprintf(script, sizeof script,
             "REDLOCK_PASSWORD=%s $RDL_COMMAND run -n --attempt=5s -vv --log=json -u %s nightly -c true",
             given[_i], url);
    start(script);
    ck_assert_int_eq(command_end(&a), _i == 0 ? 0 : 77);
    live_remove(&guarded);
    assert_has(a.err, _i == 0 ? "\"acquired\"" : "\"failed\"");
    assert_lacks(a.err, given[_i]);
    assert_as_in_manual(a.err);
}
END_TEST

/* ---------------------------------------------------------------- unusable logs */

static const struct {
    const char *script, *says;
} refused[] = {
    {"$RDL_COMMAND run --log=xml nightly -- true", "redlock: --log xml: give text or json\n"},
    {"$RDL_COMMAND run --log-fd=9 nightly -- true",
     "redlock: --log-fd works only with --log: add --log text or --log json\n"},
    {"$RDL_COMMAND run --log=text --log-fd=77 nightly -- true",
     "redlock: --log-fd 77 is not open for writing: redirect it, as in 9>>FILE\n"},
    {"$RDL_COMMAND run --log=text --log-fd=8 nightly -- true 8</dev/null",
     "redlock: --log-fd 8 is not open for writing: redirect it, as in 9>>FILE\n"},
    {"$RDL_COMMAND run --log=text --log-fd=2 nightly -- true 2>&-", ""},
    {"$RDL_COMMAND run --log=text --log-fd=8 --password-fd=8 nightly -- true 8<>/dev/null",
     "redlock: --log-fd 8 is where the password or the token is read from: use another\n"},
    {"$RDL_COMMAND acquire --log=text --log-fd=1 nightly",
     "redlock: --log-fd 1 is where the token is written: use another\n"},
    {"$RDL_COMMAND run --log=json --trace nightly -- true 2>&1 | jq -r .text >&2; exit ${PIPESTATUS[0]}",
     "--trace and --log json cannot both use standard error: give --trace=FILE, or --log-fd\n"},
    {"$RDL_COMMAND status --log=json nightly",
     "redlock: --log is not an option of redlock status\n"
     "usage: redlock status [options] LOCK...   (redlock status --help)\n"},
};

START_TEST(an_unusable_log_fails_before_any_request)
{
    start(refused[_i].script);
    ck_assert_int_eq(command_end(&a), 64);
    ck_assert_str_eq(a.err, refused[_i].says);
    for (int i = 0; i < N; i++)
        ck_assert_str_eq(live_command(&server[i], "EXISTS nightly"), ":0\r\n");
}
END_TEST

/* A pipe that is full already. */
START_TEST(an_unread_log_blocks_nothing)
{
    start("dd if=/dev/zero bs=64k count=1 >&9 2>/dev/null;"
          " $RDL_COMMAND run --log=json --log-fd=9 --ttl=8s --attempt=2s nightly -c 'exit 3'");
    live_await(&server[0], "EXISTS nightly", ":0\r\n");
    ck_assert_int_eq(command_end(&a), 3);
    ck_assert_str_eq(a.err, "");
}
END_TEST

Suite *suite_cli_log(void)
{
    Suite *suite = suite_create("cli_log");
    TCase *tc = suite_case(suite, "cli_log", setup, teardown);

    tcase_add_test(tc, the_log_shows_how_a_run_began_and_ended);
    tcase_add_test(tc, the_command_does_not_inherit_a_text_log);
    tcase_add_test(tc, a_strange_socket_path_is_valid_json);
    tcase_add_test(tc, a_kept_lock_is_logged_as_kept);
    tcase_add_test(tc, each_renewal_is_logged_with_vv);
    tcase_add_test(tc, the_logged_id_is_the_one_that_status_prints);
    tcase_add_test(tc, the_log_shows_why_run_waits);
    tcase_add_test(tc, a_held_lock_is_logged_at_the_first_attempt);
    tcase_add_test(tc, a_run_that_does_not_wait_logs_no_waiting);
    tcase_add_test(tc, a_signal_during_the_wait_is_logged_as_failed);
    tcase_add_loop_test(tc, a_run_without_the_lock_logs_failed_with_its_exit_status, 0, 2);
    tcase_add_test(tc, a_deleted_lock_is_logged_as_lost);
    tcase_add_test(tc, a_lease_that_cannot_be_renewed_is_logged_as_losing);
    tcase_add_test(tc, a_renewal_after_a_failed_one_is_logged_without_v);
    tcase_add_test(tc, a_busy_lock_logs_no_healthy_server_as_unknown);
    tcase_add_test(tc, max_hold_is_logged_as_losing_and_then_released);
    tcase_add_test(tc, a_lock_taken_before_the_release_is_logged_as_lost);
    tcase_add_test(tc, acquire_extend_and_release_write_a_log);
    tcase_add_loop_test(tc, hold_logs_how_it_ended, 0, 2);
    tcase_add_loop_test(tc, with_a_json_log_every_line_on_stderr_is_an_object, 0, 8);
    tcase_add_loop_test(tc, messages_are_text_without_a_json_log_on_stderr, 0, 7);
    tcase_add_test(tc, a_text_log_is_written_between_the_messages);
    tcase_add_test(tc, a_name_of_any_bytes_is_a_json_string);
    tcase_add_loop_test(tc, a_password_is_never_logged, 0, 2);
    tcase_add_loop_test(tc, an_unusable_log_fails_before_any_request, 0, sizeof refused / sizeof refused[0]);
    tcase_add_test(tc, an_unread_log_blocks_nothing);
    tc = suite_case(suite, "no server", NULL, NULL);
    tcase_add_loop_test(tc, a_server_that_moves_is_logged, 0, 2);
    return suite;
}
