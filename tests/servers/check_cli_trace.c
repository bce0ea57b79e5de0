/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/exit.h"
#include "redlock/cli/output/files.h"
#include "redlock/cli/output/trace.h"
#include "tests/fixtures/command.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

#include <fcntl.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct rdl_bytes secret; /* the password of server 2 */
static char path[] = "build/trace.XXXXXX";
static char text[65536];

static void make_file(void)
{
    memcpy(path + strlen(path) - 6, "XXXXXX", 6);
    close(mkstemp(path));
    unlink(path);
}

static void remove_file(void)
{
    unlink(path);
}

static const char *traced(void)
{
    FILE *f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    return text;
}

static void matches(const char *pattern)
{
    regex_t re;
    ck_assert_int_eq(regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB), 0);
    ck_assert_msg(regexec(&re, text, 0, NULL, 0) == 0, "%s does not match:\n%s", pattern, text);
    regfree(&re);
}

static void trace(char dir, const char *bytes, size_t len)
{
    rdl_cli_trace_bytes(1, secret, dir, (const uint8_t *)bytes, len);
}

static void open_trace(void)
{
    ck_assert_int_eq(rdl_cli_trace_open(path, 0), 0);
}

START_TEST(trace_bytes_are_escaped_as_in_c)
{
    open_trace();
    trace('>',
          "a\r\n\t\"\\\0"
          "1\x7f\xff~ ",
          12);
    traced();
    matches("^[0-9]+\\.[0-9]{6} #2 > \"a\\\\r\\\\n\\\\t\\\\\"\\\\\\\\\\\\0001\\\\177\\\\377~ \"\n$");
}
END_TEST

START_TEST(only_the_length_of_a_password_is_traced)
{
    open_trace();
    trace('>', NULL, 34);
    traced();
    matches("^[0-9]+\\.[0-9]{6} #2 > <redacted 34 bytes>\n$");
}
END_TEST

static void with_password(const char *password)
{
    secret.data = password;
    secret.len = strlen(password);
    open_trace();
}

static void send_and_see(const char *password, const char *const pieces[], const char *pattern)
{
    with_password(password);
    for (size_t i = 0; pieces[i] != NULL; i++)
        trace('<', pieces[i], strlen(pieces[i]));
    traced();
    matches(pattern);
}

#define LINE "[0-9]+\\.[0-9]{6} #2 < "

START_TEST(a_password_is_redacted_wherever_it_appears)
{
    send_and_see("ab\xc3\"", (const char *const[]){"-ERR ab\xc3\" or ab\xc3\"ab\xc3\"\r\n", "ab\xc3\"", NULL},
                 "^" LINE "\"-ERR \" <redacted 4 bytes> \" or \" <redacted 8 bytes> \"\\\\r\\\\n\"\n" LINE
                 "<redacted 4 bytes>\n$");
}
END_TEST

START_TEST(a_password_split_over_reads_is_redacted)
{
    send_and_see("secret", (const char *const[]){"for s", "e", "cr", "et.", NULL},
                 "^" LINE "\"for \" <redacted 1 byte>\n" LINE "<redacted 1 byte>\n" LINE
                 "<redacted 2 bytes>\n" LINE "<redacted 2 bytes> \"\\.\"\n$");
}
END_TEST

/* "sese" begins again in its middle. */
START_TEST(a_password_with_an_overlapping_prefix_is_redacted)
{
    send_and_see("sesex", (const char *const[]){"ses", "esex.", NULL},
                 "^" LINE "<redacted 3 bytes>\n" LINE "<redacted 4 bytes> \"\\.\"\n$");
}
END_TEST

START_TEST(a_partial_match_of_the_password_is_shown)
{
    send_and_see("sesame", (const char *const[]){"ses", "ame!", "sesam!", NULL},
                 "^" LINE "<redacted 3 bytes>\n" LINE "<redacted 3 bytes> \"!\"\n" LINE "\"sesam!\"\n$");
}
END_TEST

/* Bytes to a server and bytes from it are two streams, and so are two servers. */
START_TEST(password_matches_do_not_span_streams)
{
    with_password("secret");
    trace('<', "sec", 3);
    trace('>', "ret", 3);
    trace('<', "ret", 3);
    traced();
    matches("< <redacted 3 bytes>\n.* > \"ret\"\n.* < <redacted 3 bytes>\n$");
}
END_TEST

/* Longer than a line, and cut where the trace cuts. */
START_TEST(a_password_within_a_long_piece_is_redacted)
{
    static char bytes[9000];

    memset(bytes, '.', sizeof bytes);
    for (size_t at = 1; at + 10 < sizeof bytes; at += 13)
        memcpy(bytes + at, "s3same", 6);
    with_password("s3same");
    trace('<', bytes, sizeof bytes);
    ck_assert_ptr_null(strstr(traced(), "s3s"));
    assert_lacks(text, "ame");
}
END_TEST

START_TEST(a_long_piece_is_split_into_lines_without_loss)
{
    static char bytes[6000];
    size_t n = 0;
    memset(bytes, 'x', sizeof bytes);
    open_trace();
    trace('<', bytes, sizeof bytes);
    for (const char *p = traced(); *p != '\0'; p++)
        n += *p == 'x';
    ck_assert_uint_eq(n, sizeof bytes);
}
END_TEST

START_TEST(the_trace_file_is_private_and_appended_to)
{
    struct stat st;
    for (int i = 0; i < 2; i++) {
        open_trace();
        trace('>', "once", 4);
    }
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_uint_eq(st.st_mode & 0777, 0600);
    traced();
    matches("once(.|\n)*once");
}
END_TEST

START_TEST(a_trace_shows_a_whole_run)
{
    static struct live_server server;
    static struct command c;
    char option[64];

    live_start(&server);
    snprintf(option, sizeof option, "--trace=%s", path);
    command_set(&c, (const char *const[]){option, "--no-owner", "--attempt=5s", NULL}, &server, 1, "nightly",
                "exit 0");
    ck_assert_int_eq(command_run(&c), 0);
    ck_assert_str_eq(c.err, "");
    traced();
    matches("#1 > \"\\*6\\\\r\\\\n\\$3\\\\r\\\\nSET\\\\r\\\\n\\$7\\\\r\\\\nnightly\\\\r\\\\n\\$40\\\\r\\\\n");
    matches("#1 < \"\\+OK\\\\r\\\\n");
    live_remove(&server);
}
END_TEST

/* A trace has the tokens of locks. A device and standard error are the user's choice. */
START_TEST(a_trace_file_that_others_can_read_is_refused)
{
    static const mode_t modes[] = {0640, 0604, 0600};

    for (size_t i = 0; i < 3; i++) {
        int fd = open(path, O_CREAT | O_WRONLY, 0600);
        ck_assert_int_eq(fchmod(fd, modes[i]), 0);
        ck_assert_int_eq(rdl_cli_trace_open(path, 0), i < 2 ? RDL_EXIT_CANTCREAT : 0);
        close(fd);
    }
    ck_assert_int_eq(rdl_cli_trace_open("/dev/null", 0), 0);
}
END_TEST

/* Whoever comes first: the time is over, or the other end is opened. */
START_TEST(a_fifo_without_its_other_end_is_no_endless_wait)
{
    const char *why = NULL;
    int fd, reader;

    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert_int_eq(rdl_cli_trace_open(path, 0), RDL_EXIT_OS);
    ck_assert_int_eq(rdl_cli_file_read(path, 0, &why), -1);
    ck_assert_str_eq(why, "it is a FIFO, and no program has opened its other end in time");
    reader = open(path, O_RDONLY | O_NONBLOCK);
    ck_assert_int_eq(rdl_cli_trace_open(path, 0), 0);
    fd = rdl_cli_file_append(path, 0, &why);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
    ck_assert_int_eq((int)write(fd, "x", 1), 1);
    ck_assert_int_ge(rdl_cli_file_read(path, UINT64_MAX, &why), 0);
    close(reader);
}
END_TEST

/* -n does not shorten the time; -w may lengthen it. */
START_TEST(a_fifo_has_ten_seconds_or_the_wait)
{
    struct rdl_cli_options o = {.wait_ms = 0};
    uint64_t now = rdl_posix_now_ms(), ms;

    for (int i = 0; i < 3; i++) {
        o.wait_ms = i == 0 ? 0 : i == 1 ? RDL_CLI_FOREVER : 3600000;
        ms = rdl_cli_options_fifo_until_ms(&o) - now;
        ck_assert_uint_ge(ms, i < 2 ? 10000 : 3600000);
        ck_assert_uint_lt(ms, i < 2 ? 3600000 : 7200000);
    }
}
END_TEST

START_TEST(an_unwritable_trace_file_is_an_error)
{
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    ck_assert_int_eq(rdl_cli_trace_open("/nonexistent/file", 0), RDL_EXIT_OS);
}
END_TEST

Suite *suite_cli_trace(void)
{
    Suite *s = suite_create("cli_trace");
    TCase *t = suite_case(s, "the trace", make_file, remove_file);
    tcase_add_test(t, trace_bytes_are_escaped_as_in_c);
    tcase_add_test(t, only_the_length_of_a_password_is_traced);
    tcase_add_test(t, a_password_is_redacted_wherever_it_appears);
    tcase_add_test(t, a_password_split_over_reads_is_redacted);
    tcase_add_test(t, a_password_with_an_overlapping_prefix_is_redacted);
    tcase_add_test(t, a_partial_match_of_the_password_is_shown);
    tcase_add_test(t, password_matches_do_not_span_streams);
    tcase_add_test(t, a_password_within_a_long_piece_is_redacted);
    tcase_add_test(t, a_long_piece_is_split_into_lines_without_loss);
    tcase_add_test(t, the_trace_file_is_private_and_appended_to);
    tcase_add_test(t, a_trace_shows_a_whole_run);
    tcase_add_test(t, an_unwritable_trace_file_is_an_error);
    tcase_add_test(t, a_trace_file_that_others_can_read_is_refused);
    tcase_add_test(t, a_fifo_without_its_other_end_is_no_endless_wait);
    tcase_add_test(t, a_fifo_has_ten_seconds_or_the_wait);
    return s;
}
