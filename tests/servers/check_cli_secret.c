/* SPDX-License-Identifier: MIT */
/* check_cli_secret.c - where passwords come from, and that nothing shows them. Rule R37. */
#define _GNU_SOURCE
#include "redlock/cli/output/trace.h"
#include "redlock/cli/servers/passwords.h"
#include "redlock/redlock.h"
#include "tests/fixtures/command.h"
#include "tests/fixtures/fakeserver.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <sys/resource.h>

static struct command c;
static struct live_server server;
static const char secret[] = "s3same-0pen";

/* ---------------------------------------------------------------- hiding */

START_TEST(everything_before_the_last_at_sign_of_a_url_is_hidden)
{
    static const char *const cases[][2] = {{"redis://:pw@h:1/0", "redis://***@h:1/0"},
                                           {"redis://user:p%40w@h", "redis://***@h"},
                                           {"redis://a:b@c@h", "redis://***@h"},
                                           {"redis://x@h", "redis://x@h"},
                                           {"redis://h:1", "redis://h:1"},
                                           {":pw@h", "***@h"},
                                           {"unix://u:pw@/run/s", "unix://***@/run/s"},
                                           {"unix://:p/w@/run/s", "unix://***@/run/s"},
                                           {"unix:///run/a@b.sock", "unix:///run/a@b.sock"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char url[64];
        snprintf(url, sizeof url, "%s", cases[i][0]);
        size_t len = strlen(url);
        int hidden = rdl_cli_url_hide_password(url);
        if (strcmp(cases[i][0], "redis://x@h") ==
            0) { /* no room for three stars, and not the secret either */
            ck_assert_str_eq(url, "redis://*@h");
            continue;
        }
        ck_assert_str_eq(url, cases[i][1]);
        ck_assert_int_eq(hidden, strcmp(cases[i][0], cases[i][1]) != 0);
        for (size_t k = strlen(url); k < len; k++)
            ck_assert_int_eq(url[k], 0);
    }
}
END_TEST

/*
 * The bytes are overwritten, too: /proc/PID/environ shows them. What redlock did not use is another
 * program's.
 */
START_TEST(variables_whose_password_was_used_are_overwritten)
{
    static const char *const with[][2] = {{"REDLOCK_PASSWORD", "s3same-0pen"},
                                          {"REDISCLI_AUTH", "s3same-0pen"},
                                          {"REDLOCK_URLS", "redis://a redis://:s3same-0pen@b"},
                                          {"REDIS_URL", "redis://:s3same-0pen@b"}};
    static const char *const from[] = {NULL, NULL, "$REDLOCK_URLS", "$REDIS_URL"};
    struct rdl_cli_options o = {.password_fd = -1, .urls_from = from[_i]};
    struct rdl_bytes password;
    char *value;

    for (int i = 0; i < 4; i++)
        if (i >= _i || _i >= 2) /* the first source counts */
            setenv(with[i][0], with[i][1], 1);
    value = getenv(with[_i][0]);
    if (_i < 2)
        ck_assert_int_eq(rdl_cli_secret_read(&o, RDL_CLI_OF_SERVERS, &password), 0);
    rdl_cli_secret_clean_env(&o);
    for (size_t k = 0; k < strlen(with[_i][1]); k++)
        ck_assert_int_eq(value[k], 0);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(getenv(with[i][0]) != NULL, i > _i || (i < _i && _i >= 2));
}
END_TEST

static const char *scrubbed(const char *text, const char *word)
{
    static char out[64];
    struct rdl_bytes b = {word, strlen(word)};
    rdl_cli_secret_scrub(text, text, b, out, sizeof out);
    return out;
}

START_TEST(a_secret_is_scrubbed_even_if_the_text_was_cut)
{
    ck_assert_str_eq(scrubbed("bad 'hunter22' and hunter22", "hunter22"), "bad '***' and ***");
    ck_assert_str_eq(scrubbed("you said hunt", "hunter22"), "you said ***");
    ck_assert_str_eq(scrubbed("you said hun", "hunter22"), "you said hun");
    ck_assert_str_eq(scrubbed("hunter2 is not it", "hunter22"), "hunter2 is not it");
    ck_assert_str_eq(scrubbed("nothing here", ""), "nothing here");
    ck_assert_uint_lt(
        strlen(scrubbed("0123456789012345678901234567890123456789012345678901234567890123456789", "x")), 64);
}
END_TEST

static const char *scrubbed_of(const char *text, const char *message, const char *word)
{
    static char out[128];
    struct rdl_bytes b = {word, strlen(word)};
    rdl_cli_secret_scrub(text, message, b, out, sizeof out);
    return out;
}

START_TEST(only_the_servers_words_are_scrubbed)
{
    static const char message[] = "ERR no or never";
    ck_assert_str_eq(scrubbed_of("for or: ERR no or never (or not)", message, "or"),
                     "for or: ERR no *** never (or not)");
    ck_assert_str_eq(scrubbed_of("the login failed", "", "or"), "the login failed");
    ck_assert_str_eq(scrubbed_of("the word was refused", "an old word", "or"), "the word was refused");
    ck_assert_str_eq(
        scrubbed_of("refused: WRONGPASS: wrong user or password", "WRONGPASS: wrong user or password", "or"),
        "refused: WRONGPASS: wrong user or password"); /* the library's own words */
    ck_assert_str_eq(scrubbed_of("refused: WRONGPASS: not or", "WRONGPASS: not or", "or"),
                     "refused: WRONGPASS: not ***");
}
END_TEST

/* The library keeps 63 bytes of a reply, so one of that length may have been cut. */
START_TEST(a_text_that_may_have_been_cut_is_marked)
{
    char text[RDL_TEXT_MAX], marked[RDL_TEXT_MAX + 8];

    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    snprintf(marked, sizeof marked, "%s...", text);
    ck_assert_str_eq(scrubbed_of(text, text, ""), marked);
    memcpy(text + sizeof text - 5, "hunt", 4);
    snprintf(marked, sizeof marked, "%.*s***...", (int)sizeof text - 5, text);
    ck_assert_str_eq(scrubbed_of(text, text, "hunter22"), marked);
    text[sizeof text - 2] = '\0';
    ck_assert_str_eq(scrubbed_of(text, text, ""), text);
}
END_TEST

/* The stored text has question marks where a byte does not print. */
START_TEST(an_unprintable_secret_is_scrubbed)
{
    ck_assert_str_eq(scrubbed("ERR bad p??ss?w", "p\xc3\xa4ss\tw"), "ERR bad ***");
    ck_assert_str_eq(scrubbed("ERR bad p??s", "p\xc3\xa4ss\tw"), "ERR bad ***");
    ck_assert_str_eq(scrubbed("ERR bad p!?ss?w", "p\xc3\xa4ss\tw"), "ERR bad p!?ss?w");
}
END_TEST

/* ---------------------------------------------------------------- where passwords come from */

static void start_with_password(void)
{
    memset(&c, 0, sizeof c);
    server.password = secret;
    live_start(&server);
}

static void stop(void)
{
    live_remove(&server);
}

static void add_url_without_password(void)
{
    static char url[64];
    snprintf(url, sizeof url, "redis://127.0.0.1:%d", server.port);
    command_add_all(&c, (const char *const[]){"run", "-n", "--attempt=5s", "-u", url, NULL});
}

static void no_secret_in_output(void)
{
    ck_assert_msg(strstr(c.err, secret) == NULL && strstr(c.out, secret) == NULL, "%s%s", c.err, c.out);
}

START_TEST(a_password_comes_from_file_fd_environment_or_url)
{
    static const char *const env[] = {"REDLOCK_PASSWORD=s3same-0pen", "REDISCLI_AUTH=s3same-0pen"};
    char path[] = "build/secret.XXXXXX";
    int fd = mkstemp(path);

    ck_assert_int_eq(dprintf(fd, "%s\n", secret) > 0, 1);
    for (int i = 0; i < 4; i++) {
        memset(&c, 0, sizeof c);
        add_url_without_password();
        if (i < 2)
            command_setenv(&c, env[i]);
        else
            command_add_all(&c, i == 2 ? (const char *const[]){"--password-file", path, NULL}
                                       : (const char *const[]){"--password-fd", "8", NULL});
        ck_assert_int_eq(dup2(open(path, O_RDONLY), 8), 8);
        command_add_all(&c, (const char *const[]){"L", "true", NULL});
        ck_assert_msg(command_run(&c) == 0, "%d: %s", i, c.err);
        ck_assert_str_eq(c.err, "");
    }
    unlink(path);
    memset(&c, 0, sizeof c);
    command_add_all(&c, (const char *const[]){"run", "--attempt=5s", NULL});
    command_add_servers(&c, &server, 1);
    command_add_all(&c, (const char *const[]){"L", "true", NULL});
    ck_assert_int_eq(command_run(&c), 0);
    assert_has(c.err, "password on the command line");                /* printed once, */
    ck_assert_ptr_eq(strchr(c.err, '\n'), c.err + strlen(c.err) - 1); /* and nothing else */
    no_secret_in_output();
}
END_TEST

START_TEST(one_line_end_after_a_password_is_ignored)
{
    static const char *const env[] = {"REDLOCK_PASSWORD=s3same-0pen\n", "REDLOCK_PASSWORD=s3same-0pen\r\n",
                                      "REDISCLI_AUTH=s3same-0pen\r\n"};

    memset(&c, 0, sizeof c);
    add_url_without_password();
    command_setenv(&c, env[_i]);
    command_add_all(&c, (const char *const[]){"L", "true", NULL});
    ck_assert_msg(command_run(&c) == 0, "%s", c.err);
}
END_TEST

/* What an editor added is not part of a password, and is invisible. */
START_TEST(a_password_file_with_a_bom_or_two_lines_fails_with_66)
{
    static const char *const cases[][2] = {
        {"\xef\xbb\xbfs3same-0pen\n",
         ": it begins with a byte order mark (BOM): save it as plain text without one\n"},
        {"\xff\xfes3same-0pen",
         ": it begins with a byte order mark (BOM): save it as plain text without one\n"},
        {"s3same-0pen\n\n", ": it has a second line: leave one\n"},
        {"user\r\ns3same-0pen\r\n", ": it has a second line: leave one\n"},
    };
    char path[] = "build/secret.XXXXXX";
    int fd = mkstemp(path);

    ck_assert_int_gt(dprintf(fd, "%s", cases[_i][0]), 0);
    close(fd);
    memset(&c, 0, sizeof c);
    add_url_without_password();
    command_add_all(&c, (const char *const[]){"--password-file", path, "L", "true", NULL});
    ck_assert_int_eq(command_run(&c), 66);
    unlink(path);
    assert_has(c.err, cases[_i][1]);
    no_secret_in_output();
}
END_TEST

/* Then descriptor 0 is not the next file that is opened, such as our connection to the server. */
START_TEST(after_password_fd_0_the_command_reads_dev_null)
{
    char path[] = "build/secret.XXXXXX";
    int fd = mkstemp(path), was = dup(STDIN_FILENO);

    unlink(path);
    ck_assert_int_gt(dprintf(fd, "%s\n", secret), 0);
    ck_assert_int_eq((int)lseek(fd, 0, SEEK_SET), 0);
    dup2(fd, STDIN_FILENO);
    add_url_without_password();
    command_add_all(&c, (const char *const[]){"--password-fd", "0", "L", "-c",
                                              "readlink /proc/$$/fd/0; cat; exit 3", NULL});
    command_run(&c);
    dup2(was, STDIN_FILENO);
    ck_assert_int_eq(c.status, 3);
    ck_assert_str_eq(c.out, "/dev/null\n");
    ck_assert_str_eq(c.err, "");
}
END_TEST

START_TEST(a_url_user_combines_with_a_separate_password)
{
    static char url[64];

    snprintf(url, sizeof url, "redis://default:@127.0.0.1:%d", server.port);
    command_add_all(&c, (const char *const[]){"run", "-n", "--attempt=5s", "-u", url, "L", "true", NULL});
    command_setenv(&c, "REDLOCK_PASSWORD=s3same-0pen");
    ck_assert_int_eq(command_run(&c), 0);
    ck_assert_str_eq(c.err, ""); /* there was no password on the command line */
    memset(&c, 0, sizeof c);
    command_add_all(
        &c, (const char *const[]){"run", "-n", "-u", "redis://default:pw:@127.0.0.1:1", "L", "true", NULL});
    ck_assert_int_eq(command_run(&c), 69);
    assert_has(c.err, "a password on the command line");
}
END_TEST

static void write_password(const char *path, const char *password)
{
    FILE *f = fopen(path, "w");

    ck_assert_ptr_nonnull(f);
    ck_assert_int_gt(fprintf(f, "%s\n", password), 0);
    ck_assert_int_eq(fclose(f), 0);
}

/* The file first, then the server, which then closes the existing connections. */
static void rotate_password(const char *path, const char *password)
{
    write_password(path, password);
    live_command(&server, "CONFIG SET requirepass %s", password);
    server.password = password;
    live_command(&server, "CLIENT KILL TYPE normal SKIPME yes");
}

START_TEST(a_rotated_password_is_read_again_while_holding)
{
    char path[] = "build/secret.XXXXXX";
    int fd = mkstemp(path);

    write_password(path, secret);
    add_url_without_password();
    command_add_all(
        &c, (const char *const[]){"-v", "--ttl=20s", "--attempt=2s", "--password-file", path, "L", "-c",
                                  "trap 'exit 7' USR1; echo in >&9; while :; do sleep 0.01; done", NULL});
    command_start(&c);
    ck_assert_str_eq(command_note(&c), "in");
    rotate_password(path, "an0ther-word");
    command_await_err(&c, ": logging in with the new password of build/secret.");
    command_await_err(&c, "redlock: L renewed");
    kill(c.pid, SIGUSR1);
    ck_assert_int_eq(command_end(&c), 7);
    ck_assert_str_eq(live_command(&server, "EXISTS L"), ":0\r\n");
    no_secret_in_output();
    assert_lacks(c.err, "an0ther-word");
    close(fd);
    unlink(path);
}
END_TEST

/* Changes the server's password and ends all connections. It does not reply to the next ones. */
static void lock_out(const char *password)
{
    char commands[200];
    int n = snprintf(
        commands, sizeof commands,
        "AUTH %s\r\nCONFIG SET requirepass %s\r\nCLIENT KILL TYPE normal\r\nCLIENT PAUSE 4000 ALL\r\n",
        server.password, password);
    int fd = live_connect(&server);

    ck_assert_int_eq(write(fd, commands, (size_t)n), n);
    command_await_times(&c, "> <redacted", 2);
    live_freeze(&server);
    server.password = password;
    close(fd);
}

START_TEST(a_password_that_changes_during_a_login_is_not_wrong)
{
    static char url[64];
    char path[] = "build/secret.XXXXXX";
    int fd = mkstemp(path);

    write_password(path, secret);
    live_command(&server, "SET L somebody PX 600000");
    snprintf(url, sizeof url, "redis://127.0.0.1:%d", server.port);
    command_add_all(&c, (const char *const[]){"run", "-v", "--trace", "-u", url, "--password-file", path, "L",
                                              "echo", "ran", NULL});
    command_start(&c);
    live_await(&server, "CLIENT LIST", " name=redlock:run:");
    lock_out("an0ther-word"); /* it has sent the old one */
    write_password(path, "an0ther-word");
    live_thaw(&server);
    live_command(&server, "DEL L");
    ck_assert_msg(command_end(&c) == 0, "%s", c.err);
    ck_assert_str_eq(c.out, "ran\n");
    assert_has(c.err, ": logging in with the new password of build/secret.");
    assert_lacks(c.err, "an0ther-word");
    close(fd);
    unlink(path);
}
END_TEST

/* A wrong password ends the wait with 77, but not one that was replaced in the meantime. */
START_TEST(a_rotated_password_is_read_again_while_waiting)
{
    static char url[64];
    char path[] = "build/secret.XXXXXX";
    int fd = mkstemp(path);

    write_password(path, secret);
    live_command(&server, "SET L somebody PX 600000");
    snprintf(url, sizeof url, "redis://127.0.0.1:%d", server.port);
    command_add_all(
        &c, (const char *const[]){"run", "-v", "-u", url, "--password-file", path, "L", "echo", "ran", NULL});
    command_start(&c);
    live_await(&server, "CLIENT LIST", " name=redlock:run:");
    rotate_password(path, "an0ther-word");
    command_await_err(&c, ": logging in with the new password of build/secret.");
    live_await(&server, "CLIENT LIST", " name=redlock:run:");
    live_command(&server, "DEL L");
    ck_assert_msg(command_end(&c) == 0, "%s", c.err);
    ck_assert_str_eq(c.out, "ran\n");
    memset(&c, 0, sizeof c);
    live_command(&server, "SET L somebody PX 600000");
    command_add_all(
        &c, (const char *const[]){"run", "-u", url, "--password-file", path, "L", "echo", "ran", NULL});
    command_start(&c);
    live_await(&server, "CLIENT LIST", " name=redlock:run:");
    live_command(&server, "CONFIG SET requirepass third");
    server.password = "third";
    live_command(&server, "CLIENT KILL TYPE normal SKIPME yes");
    ck_assert_int_eq(command_end(&c), 77);
    close(fd);
    unlink(path);
}
END_TEST

START_TEST(a_password_file_that_others_can_read_is_a_warning)
{
    char path[] = "build/secret.XXXXXX";
    int fd = mkstemp(path);

    ck_assert_int_gt(dprintf(fd, "%s\r\n", secret), 0); /* the line end of another system */
    ck_assert_int_eq(fchmod(fd, 0644), 0);
    add_url_without_password();
    command_add_all(&c, (const char *const[]){"--password-file", path, "L", "true", NULL});
    ck_assert_int_eq(command_run(&c), 0);
    assert_has(c.err, "every user can read the password file build/secret.");
    unlink(path);
}
END_TEST

/* A file with this text, and a line end. */
static const char *file_of(const char *text, const char *end)
{
    static char path[32];
    int fd;

    strcpy(path, "build/secret.XXXXXX");
    fd = mkstemp(path);
    ck_assert_int_gt(dprintf(fd, "%s%s", text, end), 0);
    close(fd);
    return path;
}

/* The user has this hash of 8,192 letters p, which no request of the fixture could hold. */
START_TEST(a_password_of_8192_bytes_logs_in)
{
    static char entry[32 + RDL_CLI_SECRET_MAX], url[64], longest[RDL_CLI_SECRET_MAX + 1];
    static const char *const ends[] = {"", "\n", "\r\n"};
    const char *path = NULL;

    memset(longest, 'p', sizeof longest - 1);
    live_command(&server, "ACL SETUSER eve on "
                          "#2d2c27876d60c37a05a0cf80efee59a0f14cb9e715ef671afe12957ac82f2b22 ~* +@all");
    snprintf(url, sizeof url, "redis://eve:@127.0.0.1:%d", server.port);
    snprintf(entry, sizeof entry, "REDLOCK_PASSWORD=%s", longest);
    command_add_all(&c, (const char *const[]){"run", "-n", "--attempt=5s", "-u", url, NULL});
    if (_i < 3) {
        path = file_of(longest, ends[_i]);
        command_add_all(&c, (const char *const[]){"--password-file", path, NULL});
    } else {
        command_setenv(&c, entry);
    }
    command_add_all(&c, (const char *const[]){"L", "echo", "ran", NULL});
    command_run(&c);
    if (path != NULL)
        unlink(path);
    ck_assert_msg(c.status == 0 && strcmp(c.out, "ran\n") == 0, "%d: %s", c.status, c.err);
}
END_TEST

START_TEST(a_password_that_is_too_long_is_refused)
{
    static char entry[32 + RDL_CLI_SECRET_MAX], url[32 + RDL_CLI_SECRET_MAX];
    char longest[RDL_CLI_SECRET_MAX + 2];
    const char *path;

    memset(longest, 'p', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    snprintf(entry, sizeof entry, "REDLOCK_PASSWORD=%s", longest);
    snprintf(url, sizeof url, "redis://:%s@127.0.0.1", longest);
    add_url_without_password();
    command_setenv(&c, entry);
    command_add_all(&c, (const char *const[]){"L", "true", NULL});
    ck_assert_int_eq(command_run(&c), 66);
    assert_has(c.err, "the password in $REDLOCK_PASSWORD is longer than 8192 bytes");
    memset(&c, 0, sizeof c);
    command_add_all(&c, (const char *const[]){"run", "-qn", "-u", url, "L", "true", NULL});
    ck_assert_int_eq(command_run(&c), 65);
    assert_has(c.err, "redlock: -u number 1: its password is longer than 8192 bytes");
    path = file_of(longest, "\n");
    memset(&c, 0, sizeof c);
    add_url_without_password();
    command_add_all(&c, (const char *const[]){"--password-file", path, "L", "true", NULL});
    command_run(&c);
    unlink(path);
    ck_assert_int_eq(c.status, 66);
    assert_has(c.err, ": it is longer than 8192 bytes\n");
}
END_TEST

START_TEST(an_unusable_password_file_fails_with_66)
{
    static const char *const files[] = {"/nonexistent", "/", "/dev/null", "/dev/zero"};
    for (size_t i = 0; i < 4; i++) {
        memset(&c, 0, sizeof c);
        add_url_without_password();
        command_add_all(&c, (const char *const[]){"--password-file", files[i], "L", "true", NULL});
        ck_assert_msg(command_run(&c) == 66, "%s: %d", files[i], c.status);
    }
    memset(&c, 0, sizeof c);
    add_url_without_password();
    command_add_all(&c, (const char *const[]){"--password-fd", "77", "L", "true", NULL});
    ck_assert_int_eq(command_run(&c), 66);
}
END_TEST

START_TEST(a_refused_password_fails_with_77_and_is_not_printed)
{
    add_url_without_password();
    command_setenv(&c, "REDLOCK_PASSWORD=wr0ng-0ne");
    command_add_all(&c, (const char *const[]){"--trace", "L", "true", NULL});
    ck_assert_int_eq(command_run(&c), 77);
    assert_lacks(c.err, "wr0ng-0ne");
    assert_has(c.err, "WRONGPASS");
}
END_TEST

START_TEST(a_missing_password_fails_with_77)
{
    add_url_without_password();
    command_add_all(&c, (const char *const[]){"L", "true", NULL});
    ck_assert_int_eq(command_run(&c), 77);
    assert_has(c.err, "NOAUTH");
}
END_TEST

/* ---------------------------------------------------------------- where passwords must not appear */

static const char show_parent[] =
    "tr '\\0' ' ' </proc/$PPID/cmdline; env; for p in /proc/[0-9]*; do "
    "grep -q '^redlock' $p/comm && tr '\\0' ' ' <$p/cmdline; done 2>/dev/null; true";

START_TEST(a_login_over_a_unix_socket_is_in_no_process_listing)
{
    char url[LIVE_PATH_MAX + 64];

    snprintf(url, sizeof url, "unix://default:%s@%s", secret, server.socket);
    command_add_all(&c, (const char *const[]){"run", "-v", "-u", url, "L", "-c", show_parent, NULL});
    ck_assert_msg(command_run(&c) == 0, "%s", c.err);
    no_secret_in_output();
    assert_has(c.err, "a password on the command line");
    assert_has(c.out, " unix://***@/");
}
END_TEST

START_TEST(no_listing_trace_or_environment_shows_a_password)
{
    static char entry[2][128];
    char urls[80];

    snprintf(entry[0], sizeof entry[0], "REDIS_URL=redis://:%s@127.0.0.1:%d", secret, server.port);
    snprintf(entry[1], sizeof entry[1], "REDLOCK_URLS=redis://:%s@127.0.0.1:%d", secret, server.port);
    for (int i = 0; i < 3; i++) {
        memset(&c, 0, sizeof c);
        command_add_all(&c, (const char *const[]){"run", "--trace", "-v", NULL});
        if (i == 0)
            command_add_servers(&c, &server, 1);
        else
            command_setenv(&c, entry[i - 1]);
        command_setenv(&c, "REDLOCK_LOCK=another");
        command_setenv(&c, "KEPT=1");
        command_add_all(&c, (const char *const[]){"L", "-c", show_parent, NULL});
        ck_assert_msg(command_run(&c) == 0, "%s", c.err);
        no_secret_in_output();
        assert_has(c.err, "<redacted ");
        assert_has(c.out, "REDLOCK_LOCK=L\n");
        assert_has(c.out, "REDLOCK_TTL_MS=30000\n");
        assert_has(c.out, "KEPT=1\n");
        snprintf(urls, sizeof urls, "\nREDLOCK_URLS=redis://127.0.0.1:%d\n", server.port);
        assert_has(c.out, urls);
        snprintf(urls, sizeof urls, "\nREDIS_URL=redis://127.0.0.1:%d\n", server.port);
        ck_assert_int_eq(strstr(c.out, urls) != NULL, i == 1);
    }
}
END_TEST

START_TEST(an_applications_own_password_stays_in_the_environment)
{
    static char entry[128], password[64];

    snprintf(entry, sizeof entry, "REDLOCK_URLS=redis://:%s@127.0.0.1:%d", secret, server.port);
    command_setenv(&c, entry);
    command_setenv(&c, "REDIS_URL=redis://app:pw@cache:6379/0");
    command_setenv(&c, "REDISCLI_AUTH=of-the-application");
    snprintf(password, sizeof password, "REDLOCK_PASSWORD=%s", secret);
    command_setenv(&c, password);
    command_add_all(&c, (const char *const[]){"run", "L", "env", NULL});
    ck_assert_msg(command_run(&c) == 0, "%s", c.err);
    no_secret_in_output();
    assert_has(c.out, "REDIS_URL=redis://app:pw@cache:6379/0\n");
    assert_has(c.out, "REDISCLI_AUTH=of-the-application\n");
}
END_TEST

/* The inner lock was once taken on 127.0.0.1:6379, or on the application's server. */
START_TEST(an_inner_run_uses_the_servers_of_the_outer)
{
    static const char script[] =
        "RDL_COMMAND=$(realpath $RDL_COMMAND); umask 77; cd $(mktemp -d) && echo $PASSWORD >password && %s "
        "\"$RDL_COMMAND\" run %s outer -- sh -c 'cd / && echo $REDLOCK_PASSWORD_FILE && "
        "\"$RDL_COMMAND\" run inner -- sh -c \"echo \\$REDLOCK_URLS\"'; echo $?; rm -r \"$PWD\"";
    static const char *const how[][2] = {{"", "--password-file=password"},
                                         {"REDLOCK_PASSWORD_FILE=password", ""},
                                         {"REDLOCK_PASSWORD=$PASSWORD", ""}};
    char full[600], entry[64], urls[80];

    snprintf(full, sizeof full, script, how[_i][0], how[_i][1]);
    memset(&c, 0, sizeof c);
    command_set_script(&c, &server, 1, full);
    snprintf(entry, sizeof entry, "PASSWORD=%s", secret);
    command_setenv(&c, entry);
    snprintf(urls, sizeof urls, "REDLOCK_URLS=redis://127.0.0.1:%d", server.port);
    command_setenv(&c, urls);
    command_run(&c);
    if (_i == 2) { /* the variable is not handed on */
        ck_assert_msg(strcmp(c.out, "\n77\n") == 0, "%s%s", c.out, c.err);
        return;
    }
    ck_assert_msg(c.out[0] == '/' && strstr(c.out, "/password\nredis://127.0.0.1:") != NULL, "%s%s", c.out,
                  c.err);
    ck_assert_msg(strstr(c.out, "\n0\n") != NULL, "%s%s", c.out, c.err);
}
END_TEST

START_TEST(a_url_without_a_password_stays_in_the_environment)
{
    struct live_server open_server = {0};
    static char entry[64];

    live_start(&open_server);
    snprintf(entry, sizeof entry, "REDIS_URL=redis://127.0.0.1:%d", open_server.port);
    command_setenv(&c, entry);
    command_add_all(&c, (const char *const[]){"run", "L", "env", NULL});
    ck_assert_int_eq(command_run(&c), 0);
    assert_has(c.out, entry);
    live_remove(&open_server);
}
END_TEST

START_TEST(a_reply_with_the_password_is_not_printed)
{
    static const char *const replies[] = {
        "-ERR no such user s3same-0pen\r\n", "-s3same-0pen\r\n",
        "-ERR 12345678901234567890123456789012345678901234567 s3same-0pen\r\n",
        "+OK\r\n-ERR s3same-0pen\r\n-ERR s3same-0pen\r\n"};
    for (size_t i = 0; i < sizeof replies / sizeof replies[0]; i++) {
        struct fake_server f = {.trick = FAKE_ANSWERS, .text = replies[i], .after = 10};
        char url[64];
        fake_start(&f);
        memset(&c, 0, sizeof c);
        command_setenv(&c, "REDLOCK_PASSWORD=s3same-0pen");
        command_add_all(&c, (const char *const[]){"run", "-n", "--trace", "-v", "-u", NULL});
        command_add(&c, fake_url(&f, url, sizeof url));
        command_add_all(&c, (const char *const[]){"L", "true", NULL});
        ck_assert_int_ne(command_run(&c), 0);
        char *message = strstr(c.err, "redlock: no lock");
        ck_assert_ptr_nonnull(message);
        assert_lacks(message, "s3same");
        no_secret_in_output();
        fake_stop(&f);
    }
}
END_TEST

/* A server's own password is removed from its words, not the first server's. One of the last two ends it. */
START_TEST(a_servers_own_password_is_not_printed)
{
    struct fake_server f[2];
    char url[2][64], plain[64];

    memset(&c, 0, sizeof c);
    command_add_all(&c, (const char *const[]){"run", "-n", "--attempt=1s", "-v", "--trace", "-u",
                                              "redis://:first@127.0.0.1:1", NULL});
    for (int i = 0; i < 2; i++) {
        f[i] = (struct fake_server){
            .trick = FAKE_ANSWERS, .text = "+OK\r\n-ERR not second\r\n-ERR not second\r\n", .after = 10};
        fake_start(&f[i]);
        snprintf(url[i], sizeof url[i], "redis://:second@%s",
                 fake_url(&f[i], plain, sizeof plain) + strlen("redis://"));
        command_add_all(&c, (const char *const[]){"-u", url[i], NULL});
    }
    command_add_all(&c, (const char *const[]){"L", "true", NULL});
    ck_assert_int_ne(command_run(&c), 0);
    ck_assert_msg(strstr(c.err, "ERR not ***") != NULL && strstr(c.err, "not second") == NULL, "%s", c.err);
    for (int i = 0; i < 2; i++)
        fake_stop(&f[i]);
}
END_TEST

#define BUSY "-BUSY Redis is busy. script: 0123456789, on @user_script:1.\r\n"

/* What follows "script:" in a server's words helps no user. In our own words it is no such place. */
START_TEST(only_a_servers_words_are_cut_at_script)
{
    struct fake_server f = {.trick = FAKE_ANSWERS, .text = BUSY BUSY, .after = 10};
    char url[64];

    fake_start(&f);
    memset(&c, 0, sizeof c);
    command_add_all(&c, (const char *const[]){"run", "-n", "--attempt=1s", "-u",
                                              fake_url(&f, url, sizeof url), "L", "true", NULL});
    ck_assert_int_eq(command_run(&c), 69);
    assert_has(c.err, "the server is busy running a script: BUSY Redis is busy.");
    assert_lacks(c.err, "0123456789");
    fake_stop(&f);
}
END_TEST

/* After the login, byte by byte, and with letters that do not print: in messages and in the trace. */
START_TEST(a_later_reply_is_printed_without_the_password)
{
    static const char *const words[] = {"s3same-0pen", "p\xc3\xa4ssw\xc3\xb6rter"};
    static const char *const shown[] = {"s3same", "\\303\\244ssw"};
    static char env[64], reply[200], url[64];
    struct fake_server f = {.trick = _i / 2 ? FAKE_DRIPS : FAKE_ANSWERS, .text = reply, .after = 10};
    const char *word = words[_i % 2];

    snprintf(env, sizeof env, "REDLOCK_PASSWORD=%s", word);
    snprintf(reply, sizeof reply, "+OK\r\n-ERR login expired for %s\r\n", word);
    if (_i / 2) /* one piece after the other: so the reply to AUTH is alone, and INFO gets the rest */
        snprintf(reply, sizeof reply, "+OK\r\n-MISCONF no %s\r\n-MISCONF no %s\r\n", word, word);
    fake_start(&f);
    memset(&c, 0, sizeof c);
    command_setenv(&c, env);
    command_add_all(&c, (const char *const[]){"run", "-n", "--attempt=1s", "--trace", "-v", "-u", NULL});
    command_add(&c, fake_url(&f, url, sizeof url));
    command_add_all(&c, (const char *const[]){"L", "true", NULL});
    ck_assert_int_ne(command_run(&c), 0);
    ck_assert_msg(strstr(c.err, word) == NULL && strstr(c.err, shown[_i % 2]) == NULL, "%s", c.err);
    assert_has(c.err, "***");
    fake_stop(&f);
}
END_TEST

START_TEST(a_common_word_as_password_does_not_garble_messages)
{
    add_url_without_password();
    command_setenv(&c, "REDLOCK_PASSWORD=or");
    command_add_all(&c, (const char *const[]){"-v", "L", "true", NULL});
    ck_assert_int_eq(command_run(&c), 77);
    assert_has(c.err, ": the login failed: WRONGPASS: wrong user or password (check user "
                      "and password)\n");
}
END_TEST

START_TEST(a_password_disables_core_files_only_for_redlock)
{
    struct rlimit core;

    ck_assert_int_eq(getrlimit(RLIMIT_CORE, &core), 0);
    core.rlim_cur = core.rlim_max; /* often it is 0 */
    ck_assert_int_eq(setrlimit(RLIMIT_CORE, &core), 0);
    command_setenv(&c, "ASAN_OPTIONS=detect_leaks=0:disable_coredump=0"); /* otherwise it is 0 there */
    command_add(&c, "run");
    command_add_servers(&c, &server, 1);
    command_add_all(
        &c, (const char *const[]){"L", "-c", "grep -h core /proc/self/limits /proc/$PPID/limits", NULL});
    ck_assert_int_eq(command_run(&c), 0);
    char line[256] = "";
    FILE *f = fopen("/proc/self/limits", "r");
    ck_assert_ptr_nonnull(f);
    while (strstr(line, "core") == NULL)
        ck_assert_ptr_nonnull(fgets(line, sizeof line, f));
    fclose(f);
    ck_assert_msg(strncmp(c.out, line, strlen(line)) == 0, "%s%s", c.out, line);
    const char *ours = strchr(c.out, '\n') + 1;
    ck_assert_msg(strncmp(ours, "Max core file size        0 ", 28) == 0, "%s", c.out);
}
END_TEST

Suite *suite_cli_secret(void)
{
    Suite *s = suite_create("cli_secret");
    TCase *t = suite_case(s, "hiding", NULL, NULL);
    tcase_add_test(t, everything_before_the_last_at_sign_of_a_url_is_hidden);
    tcase_add_loop_test(t, variables_whose_password_was_used_are_overwritten, 0, 4);
    tcase_add_test(t, a_secret_is_scrubbed_even_if_the_text_was_cut);
    tcase_add_test(t, only_the_servers_words_are_scrubbed);
    tcase_add_test(t, a_text_that_may_have_been_cut_is_marked);
    tcase_add_test(t, an_unprintable_secret_is_scrubbed);
    t = suite_case(s, "a server with a password", start_with_password, stop);
    tcase_add_test(t, a_password_comes_from_file_fd_environment_or_url);
    tcase_add_test(t, after_password_fd_0_the_command_reads_dev_null);
    tcase_add_test(t, a_url_user_combines_with_a_separate_password);
    tcase_add_loop_test(t, one_line_end_after_a_password_is_ignored, 0, 3);
    tcase_add_loop_test(t, a_password_file_with_a_bom_or_two_lines_fails_with_66, 0, 4);
    tcase_add_test(t, a_rotated_password_is_read_again_while_holding);
    tcase_add_test(t, a_rotated_password_is_read_again_while_waiting);
    tcase_add_test(t, a_password_that_changes_during_a_login_is_not_wrong);
    tcase_add_test(t, a_password_file_that_others_can_read_is_a_warning);
    tcase_add_loop_test(t, a_password_of_8192_bytes_logs_in, 0, 4);
    tcase_add_test(t, a_password_that_is_too_long_is_refused);
    tcase_add_test(t, an_unusable_password_file_fails_with_66);
    tcase_add_test(t, a_refused_password_fails_with_77_and_is_not_printed);
    tcase_add_test(t, a_missing_password_fails_with_77);
    tcase_add_test(t, a_login_over_a_unix_socket_is_in_no_process_listing);
    tcase_add_test(t, no_listing_trace_or_environment_shows_a_password);
    tcase_add_test(t, a_url_without_a_password_stays_in_the_environment);
    tcase_add_test(t, an_applications_own_password_stays_in_the_environment);
    tcase_add_loop_test(t, an_inner_run_uses_the_servers_of_the_outer, 0, 3);
    tcase_add_test(t, a_reply_with_the_password_is_not_printed);
    tcase_add_loop_test(t, a_later_reply_is_printed_without_the_password, 0, 4);
    tcase_add_test(t, a_servers_own_password_is_not_printed);
    tcase_add_test(t, only_a_servers_words_are_cut_at_script);
    tcase_add_test(t, a_common_word_as_password_does_not_garble_messages);
    tcase_add_test(t, a_password_disables_core_files_only_for_redlock);
    return s;
}
