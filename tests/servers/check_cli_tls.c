/* SPDX-License-Identifier: MIT */
/* --connect-command: servers that speak TLS, by openssl, and the failures of such a program. */
#define _GNU_SOURCE
#include "tests/fixtures/command.h"
#include "tests/fixtures/tls.h"
#include "tests/suite.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct tls_server server;
static struct command a;

static void setup(void)
{
    setenv("REDLOCK_OWNER", "o", 1);
    memset(&server, 0, sizeof server);
    setenv("REDLOCK_RESTART_GUARD", "off", 1);
    tls_begin();
}

static void teardown(void)
{
    tls_remove(&server);
    tls_end();
}

static char token[80] = "REDLOCK_TOKEN=";

/* redlock VERB --connect-command TEXT -u URL MORE... */
static int ask(const char *verb, const char *text, const char *url, const char *const more[])
{
    memset(&a, 0, sizeof a);
    command_add_all(&a, (const char *const[]){verb, "--connect-command", text, "-u", url, NULL});
    command_add_all(&a, more);
    command_setenv(&a, token);
    return command_run(&a);
}

static const char *const run_it[] = {"-n", "--attempt=5s", "nightly", "--", "echo", "done", NULL};
static const char *const the_lock[] = {"--attempt=5s", "nightly", NULL};

static void expect_err(int status, const char *text)
{
    ck_assert_msg(a.status == status && strstr(a.err, text) != NULL, "%d: %s\nis not: %d: %s", a.status,
                  a.err, status, text);
}

/* ---------------------------------------------------------------- certificates */

START_TEST(every_verb_works_over_tls)
{
    const char *url;

    tls_start(&server, TLS_RIGHT);
    url = tls_url(&server);
    ck_assert_msg(ask("run", tls_openssl(), url, run_it) == 0, "%s", a.err);
    ck_assert_str_eq(a.out, "done\n");
    ck_assert_str_eq(a.err, "");
    ck_assert_msg(ask("status", tls_openssl(), url, the_lock) == 0, "%s", a.err);
    assert_has(a.out, "nightly at localhost:");
    ck_assert_int_eq(ask("list", tls_openssl(), url, the_lock), 0);
    ck_assert_int_eq(ask("acquire", tls_openssl(), url, the_lock), 0);
    snprintf(token, sizeof token, "REDLOCK_TOKEN=%.42s", a.out);
    ck_assert_msg(ask("extend", tls_openssl(), url, the_lock) == 0, "%s", a.err);
    ck_assert_msg(ask("release", tls_openssl(), url, the_lock) == 0, "%s", a.err);
    ck_assert_str_eq(live_command(&server.live, "EXISTS nightly"), ":0\r\n");
}
END_TEST

START_TEST(the_connect_command_variable_works_like_the_option)
{
    tls_start(&server, TLS_RIGHT);
    memset(&a, 0, sizeof a);
    setenv("REDLOCK_CONNECT_COMMAND", tls_openssl(), 1);
    command_add_all(&a, (const char *const[]){"run", "-u", tls_url(&server), NULL});
    command_add_all(&a, run_it);
    ck_assert_msg(command_run(&a) == 0, "%s", a.err);
}
END_TEST

START_TEST(an_inner_run_uses_the_connect_command_of_the_outer)
{
    tls_start(&server, TLS_RIGHT);
    ask("run", tls_openssl(), tls_url(&server),
        (const char *const[]){"-n", "--attempt=5s", "outer", "-c",
                              "$RDL_COMMAND run -n --attempt=5s inner -- echo done", NULL});
    ck_assert_msg(a.status == 0 && strcmp(a.out, "done\n") == 0, "%d: %s%s", a.status, a.out, a.err);
}
END_TEST

static const struct {
    enum tls_paper paper;
    const char *why, *remedy;
} refusals[] = {
    {TLS_EXPIRED, "verify error:num=10:certificate has expired", "give the server a new certificate"},
    {TLS_OTHER, "verify error:num=62:hostname mismatch", "use the name or address in the certificate"},
    {TLS_STRANGER, "verify error:num=20:unable to get local issuer certificate", "openssl's -CAfile FILE"},
};

enum { REFUSALS = sizeof refusals / sizeof refusals[0] };

START_TEST(an_invalid_certificate_is_refused_with_the_reason)
{
    char text[200];

    tls_start(&server, refusals[_i].paper);
    snprintf(text, sizeof text, "localhost:%d: cannot connect: openssl: %s\n", server.port, refusals[_i].why);
    ask("run", tls_openssl(), tls_url(&server), run_it);
    expect_err(69, text);
    snprintf(text, sizeof text, "cannot connect: openssl: %s", refusals[_i].why);
    ck_assert_int_eq(ask("status", tls_openssl(), tls_url(&server), the_lock), 69);
    assert_has(a.out, text);
    ck_assert_int_eq(ask("doctor", tls_openssl(), tls_url(&server), the_lock), 69);
    ck_assert_msg(strstr(a.out, text) != NULL && strstr(a.out, refusals[_i].remedy) != NULL, "%s", a.out);
    ask("acquire", tls_openssl(), tls_url(&server),
        (const char *const[]){"-n", "--attempt=5s", "--log", "json", "nightly", NULL});
    expect_err(69, refusals[_i].why);
}
END_TEST

/* openssl may find the connection closed before it reads the reason; wrongs[] has both texts. */
START_TEST(a_required_client_certificate_is_reported_with_a_remedy)
{
    tls_start(&server, TLS_RIGHT);
    live_command(&server.live, "CONFIG SET tls-auth-clients yes");
    ck_assert_int_eq(ask("doctor", tls_openssl(), tls_url(&server), the_lock), 69);
    ck_assert_msg(strstr(a.out, ": cannot connect: openssl: ") != NULL &&
                      (strstr(a.out, "certificate required") != NULL ||
                       strstr(a.out, "write:errno=") != NULL || strstr(a.out, "read:errno=") != NULL) &&
                      strstr(a.out, "-cert FILE -key FILE") != NULL,
                  "%s", a.out);
}
END_TEST

/* No byte of the password is sent if the certificate is wrong, or the server does not speak TLS. */
START_TEST(a_password_is_sent_only_over_a_verified_connection)
{
    char url[80];

    tls_start(&server, TLS_OTHER);
    memset(&a, 0, sizeof a);
    snprintf(url, sizeof url, "rediss://:sesame@localhost:%d", server.port);
    command_add_all(
        &a, (const char *const[]){"run", "--trace", "--connect-command", tls_openssl(), "-u", url, NULL});
    command_add_all(&a, run_it);
    ck_assert_int_eq(command_run(&a), 69);
    assert_lacks(a.err, "sesame");
    assert_has(a.err, "a password on the command line");
    ck_assert_ptr_null(strstr(live_command(&server.live, "INFO commandstats"), "cmdstat_auth"));
}
END_TEST

/* ---------------------------------------------------------------- failures of the program */

static const struct {
    const char *text;
    int status;
    const char *says, *remedy;
} wrongs[] = {
    {"no-such-program %h %p", 69, ": cannot connect: no-such-program: not found\n", "install that program"},
    {"openssl s_client -quiet -connect 127.0.0.1:%p", 69,
     ": cannot connect: openssl: Connection refused: calling connect()\n", "check that it is running"},
    {"false", 69, ": cannot connect: its connect command exited with status 1\n",
     "that the connect command works"},
    {"kill -9 $$", 69, ": cannot connect: its connect command was killed by signal 9\n",
     "that the port uses TLS"},
    {"echo 'It is closed' >&2; exit 3", 69, ": cannot connect: sh: It is closed\n",
     "that the connect command works"},
    {"printf %%0159d 0 >&2; exit 3", 69, "00000000000...\n", "that the connect command works"},
    {"printf %%0158d 1 >&2; exit 3", 69, "00000000001\n", "that the connect command works"},
    {"echo write:errno=104 >&2; exit 1", 69, ": cannot connect: sh: write:errno=104\n",
     "the server closed the connection; if it requires a client certificate: openssl's -cert FILE -key FILE"},
    {"echo read:errno=104 >&2; exit 1", 69, ": cannot connect: sh: read:errno=104\n",
     "the server closed the connection; if it requires a client certificate: openssl's -cert FILE -key FILE"},
    {"sh -c 'echo first >&2; echo an error \"<\"\033\377\">\" >&2; echo then >&2'", 69,
     ": cannot connect: sh: an error <?\?>\n", "that the connect command works"},
    {"echo hello; exec cat >&2", 76,
     ": the server does not speak RESP2 (the Redis protocol): its connect command wrote something that is "
     "not a reply of a server (check that this is the server's port)\n",
     "check that the connect command prints only what the server sends"},
    {"sleep 60", 69,
     ": timed out (no reply within 3.0 s; if the network is that slow, give --attempt 6.0s)\n",
     "that the port uses TLS"},
    {"sh -c 'echo still looking for it >&2; exec sleep 60'", 69,
     ": timed out: sh: still looking for it (no reply within ", "that the port uses TLS"},
};

enum { WRONGS = sizeof wrongs / sizeof wrongs[0] };

START_TEST(a_failed_connect_command_is_reported_in_its_own_words)
{
    const char *url = "rediss://localhost:1";
    const char *attempt = strstr(wrongs[_i].says, ": timed out") != NULL ? "1s" : "5s";

    ask("run", wrongs[_i].text, url,
        (const char *const[]){"-n", "--attempt", attempt, "nightly", "--", "echo", "done", NULL});
    expect_err(wrongs[_i].status, wrongs[_i].says);
    ck_assert_str_eq(a.out, "");
    ask("doctor", wrongs[_i].text, url, (const char *const[]){"--attempt", attempt, "nightly", NULL});
    ck_assert_int_eq(a.status, wrongs[_i].status);
    assert_has(a.out, wrongs[_i].remedy);
}
END_TEST

/* The server closes the connection, and sends nothing. */
START_TEST(a_redis_url_of_a_tls_port_gets_a_hint_about_rediss)
{
    static const char hint[] = "check the port; if it uses TLS, its URL must begin with rediss://";
    static const char *const verbs[] = {"run -n --attempt=5s nightly true", "acquire -n --attempt=5s nightly",
                                        "list", "status nightly", "doctor nightly"};
    char script[200];

    tls_start(&server, TLS_RIGHT);
    for (size_t k = 0; k < sizeof verbs / sizeof verbs[0]; k++) {
        memset(&a, 0, sizeof a);
        snprintf(script, sizeof script, "REDLOCK_URLS=redis://127.0.0.1:%d $RDL_COMMAND %s 2>&1", server.port,
                 verbs[k]);
        command_set_script(&a, &server.live, 1, script);
        ck_assert_int_eq(command_run(&a), 69);
        ck_assert_msg(strstr(a.out, hint) != NULL, "%s: %s", verbs[k], a.out);
    }
}
END_TEST

static const struct {
    const char *text, *says;
} usages[] = {
    {"openssl %H",
     "--connect-command is invalid: % must be followed by h (the host), p (the port) or another %"},
    {"openssl %", "--connect-command is invalid: % must be followed by h"},
    {"  ", "--connect-command is invalid: it is empty"},
    {"a 'b", "--connect-command is invalid: a quote is not closed"},
    {"a \\", "--connect-command is invalid: it ends with a backslash"},
};

enum { USAGES = sizeof usages / sizeof usages[0] };

START_TEST(a_malformed_connect_command_is_a_usage_error)
{
    ask("run", usages[_i].text, "rediss://localhost:1", run_it);
    expect_err(64, usages[_i].says);
}
END_TEST

START_TEST(rediss_urls_and_connect_command_require_each_other)
{
    ask("run", "openssl", "redis://localhost:1", run_it);
    expect_err(64, "--connect-command works only with rediss:// URLs, and there is none");
    memset(&a, 0, sizeof a);
    command_add_all(&a, (const char *const[]){"run", "-u", "rediss://localhost:1", NULL});
    command_add_all(&a, run_it);
    command_run(&a);
    expect_err(64, "rediss:// needs a program that speaks TLS: give its command by --connect-command or "
                   "$REDLOCK_CONNECT_COMMAND, for example 'openssl s_client -quiet -verify_return_error "
                   "-verify_hostname %h -connect %h:%p'");
    memset(&a, 0, sizeof a);
    command_add_all(&a, (const char *const[]){"run", "-u", "rediss://127.0.0.1:1", NULL});
    command_add_all(&a, run_it);
    command_run(&a);
    expect_err(64, " -verify_ip %h -connect ");
    setenv("REDLOCK_CONNECT_COMMAND", "%x", 1); /* this option has no effect on other URLs */
    memset(&a, 0, sizeof a);
    command_add_all(&a, (const char *const[]){"run", "-u", "redis://127.0.0.1:1", NULL});
    command_add_all(&a, run_it);
    command_run(&a);
    expect_err(69, "Connection refused");
}
END_TEST

START_TEST(a_host_that_would_be_an_option_or_a_command_is_refused)
{
    static const char *const hosts[] = {"-oProxyCommand=x", "a;reboot", "$(reboot)", "a'b"};
    char url[80];

    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        snprintf(url, sizeof url, "rediss://%s:1", hosts[i]);
        ask("run", "echo %h >&2; exit 1", url, run_it);
        ck_assert_msg(a.status == 65, "%s: %s", hosts[i], a.err);
    }
    expect_err(65, "-u number 1: the host is neither an IPv4 address nor a host name");
}
END_TEST

START_TEST(two_urls_of_one_tls_server_are_refused)
{
    memset(&a, 0, sizeof a);
    command_add_all(&a, (const char *const[]){"run", "--connect-command", "false", "-u",
                                              "rediss://nobody.invalid:1", "-u", "rediss://nobody.invalid:1",
                                              "-u", "rediss://other.invalid:1", NULL});
    command_add_all(&a, run_it);
    command_run(&a);
    expect_err(65, "are the same server, which would have two votes: name it once");
}
END_TEST

START_TEST(unknown_hosts_are_left_to_the_connect_command)
{
    ask("run", "sh -c 'echo asked for %h port %p >&2; exit 1'", "rediss://nobody.invalid:7",
        (const char *const[]){"-v", "-n", "--attempt=5s", "nightly", "--", "true", NULL});
    expect_err(69, "no address for nobody.invalid:7 (");
    expect_err(69, "): the connect command has to find it\n");
    expect_err(69, "nobody.invalid:7: cannot connect: sh: asked for nobody.invalid port 7\n");
}
END_TEST

/* ---------------------------------------------------------------- what it inherits */

START_TEST(a_connect_command_gets_three_descriptors_and_no_secret)
{
    static const char text[] =
        "sh -c 'for i in 3 4 5 6 7 8 9 10 11 12; do [ -e /proc/$$/fd/$i ] && has=\"$has $i\"; done; "
        "echo \"error: has:$has, $(env | grep -ci -e sesame -e ^REDLOCK_TOKEN) secrets, "
        "$(sed -nE \"s/^Sig(Blk|Ign):.*(.{7})$/\\2/p\" /proc/$$/status | tr -cd 1-9a-f | wc -c) signals\" "
        ">&2'";

    for (int sig = 1; sig < 32; sig++) /* it would also ignore the signals that redlock's parent ignores */
        (void)signal(sig, SIG_DFL);
    setenv("REDLOCK_PASSWORD", "sesame", 1);
    snprintf(token, sizeof token, "REDLOCK_TOKEN=0123456789012345678901234567890123456789");
    ask("run", text, "rediss://localhost:1", run_it);
    expect_err(69, ": cannot connect: sh: error: has:, 0 secrets, 0 signals\n");
}
END_TEST

Suite *suite_cli_tls(void)
{
    Suite *s = suite_create("cli_tls");
    TCase *certificates = suite_case(s, "certificates", setup, teardown);
    TCase *words = suite_case(s, "words", NULL, NULL);

    tcase_set_timeout(certificates, 60);
    tcase_add_test(certificates, every_verb_works_over_tls);
    tcase_add_test(certificates, the_connect_command_variable_works_like_the_option);
    tcase_add_test(certificates, an_inner_run_uses_the_connect_command_of_the_outer);
    tcase_add_loop_test(certificates, an_invalid_certificate_is_refused_with_the_reason, 0, REFUSALS);
    tcase_add_test(certificates, a_required_client_certificate_is_reported_with_a_remedy);
    tcase_add_test(certificates, a_password_is_sent_only_over_a_verified_connection);
    tcase_add_test(certificates, a_redis_url_of_a_tls_port_gets_a_hint_about_rediss);
    tcase_set_timeout(words, 60);
    tcase_add_loop_test(words, a_failed_connect_command_is_reported_in_its_own_words, 0, WRONGS);
    tcase_add_loop_test(words, a_malformed_connect_command_is_a_usage_error, 0, USAGES);
    tcase_add_test(words, rediss_urls_and_connect_command_require_each_other);
    tcase_add_test(words, a_host_that_would_be_an_option_or_a_command_is_refused);
    tcase_add_test(words, two_urls_of_one_tls_server_are_refused);
    tcase_add_test(words, unknown_hosts_are_left_to_the_connect_command);
    tcase_add_test(words, a_connect_command_gets_three_descriptors_and_no_secret);
    return s;
}
