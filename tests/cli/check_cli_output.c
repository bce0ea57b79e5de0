/* SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700
#include "redlock/cli/output/log.h"
#include "redlock/cli/output/messages.h"
#include "tests/fixtures/heard.h"
#include "tests/suite.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

START_TEST(verbosity_decides_which_messages_are_printed)
{
    static const int levels[] = {RDL_CLI_QUIET, RDL_CLI_NORMAL, RDL_CLI_VERBOSE};
    static const char *const expected[] = {"redlock: f\n", "redlock: f\nredlock: warning: w\nredlock: t\n",
                                           "redlock: f\nredlock: warning: w\nredlock: t\nredlock: n\n"};
    for (int i = 0; i < 3; i++) {
        rdl_cli_set_verbosity(levels[i]);
        rdl_cli_print_error("%s", "f");
        rdl_cli_print_warning("%s", "w");
        rdl_cli_print_info("%s", "t");
        rdl_cli_print_verbose("%s", "n");
        ck_assert_str_eq(heard_since(), expected[i]);
    }
}
END_TEST

START_TEST(a_message_is_one_line_without_control_characters)
{
    rdl_cli_set_verbosity(RDL_CLI_NORMAL);
    rdl_cli_print_error("a\nb\r\033[31m\177\tc\xc3\xa9");
    ck_assert_str_eq(heard_since(), "redlock: a?b??[31m??c\xc3\xa9\n");
}
END_TEST

/* U+00C4, U+00DF, U+0440 and U+9593 have a byte that alone is a control character. */
START_TEST(letters_in_a_message_are_unchanged)
{
    rdl_cli_print_error("\xc3\x84\xc3\x9f\xd1\x80\xe9\x96\x93\xc2\x9b\x9b");
    ck_assert_str_eq(heard_since(), "redlock: \xc3\x84\xc3\x9f\xd1\x80\xe9\x96\x93???\n");
}
END_TEST

START_TEST(a_long_message_is_cut_and_still_ends_its_line)
{
    static char longer[5000];
    memset(longer, 'x', sizeof longer - 1);
    rdl_cli_print_error("%s", longer);
    const char *message = heard_since();
    size_t len = strlen(message);
    ck_assert_uint_gt(len, 2000);
    ck_assert_uint_lt(len, 2100);
    ck_assert_int_eq(message[len - 1], '\n');
    ck_assert_ptr_eq(strchr(message, '\n'), message + len - 1);
}
END_TEST

/* One line that is an event: the text after its time. */
static const char *event(const char *line)
{
    static const char begin[] = "{\"event\":\"message\",\"time\":\"2",
                      rest_begin[] = "Z\",\"lock\":\"night\\\"ly\",";
    const char *rest = strstr(line, rest_begin);

    ck_assert_int_eq(strncmp(line, begin, sizeof begin - 1), 0);
    ck_assert_ptr_nonnull(rest);
    ck_assert_ptr_eq(strchr(line, '\n'), strstr(line, "}\n") + 1);
    return rest + sizeof rest_begin - 1;
}

START_TEST(a_message_is_an_event_in_a_json_log_on_stderr)
{
    rdl_cli_set_verbosity(RDL_CLI_VERBOSE);
    rdl_cli_log_open(STDERR_FILENO, RDL_CLI_LOG_JSON, "night\"ly");
    rdl_cli_print_error("a \"b\" \\\n");
    ck_assert_str_eq(event(heard_since()), "\"level\":\"error\",\"text\":\"a \\\"b\\\" \\\\?\"}\n");
    rdl_cli_print_warning("w");
    ck_assert_str_eq(event(heard_since()), "\"level\":\"warning\",\"text\":\"w\"}\n");
    rdl_cli_print_info("t");
    ck_assert_str_eq(event(heard_since()), "\"level\":\"info\",\"text\":\"t\"}\n");
    rdl_cli_print_verbose("n");
    ck_assert_str_eq(event(heard_since()), "\"level\":\"info\",\"text\":\"n\"}\n");
}
END_TEST

START_TEST(other_logs_leave_messages_unchanged)
{
    rdl_cli_log_open(_i ? STDERR_FILENO : STDOUT_FILENO, _i ? RDL_CLI_LOG_TEXT : RDL_CLI_LOG_JSON, "l");
    rdl_cli_print_error("f");
    ck_assert_str_eq(heard_since(), "redlock: f\n");
}
END_TEST

/* ---------------------------------------------------------------- blocked output */

/* Make standard error a pipe that is full. Its flags stay as they are. */
static void fill_stderr(void)
{
    heard_begin();
    int flags = fcntl(heard_fd[1], F_GETFL);
    ck_assert_int_eq(fcntl(heard_fd[1], F_SETFL, flags | O_NONBLOCK), 0);
    while (write(heard_fd[1], "....", 4) > 0)
        continue;
    ck_assert_int_eq(fcntl(heard_fd[1], F_SETFL, flags), 0);
}

/* The text after the dots, including everything that was kept. */
static const char *read_kept(void)
{
    static char all[1 << 17];
    size_t n = 0;

    ck_assert_int_eq(fcntl(heard_fd[0], F_SETFL, O_NONBLOCK), 0);
    do {
        ssize_t got = read(heard_fd[0], all + n, sizeof all - 1 - n);
        n += got > 0 ? (size_t)got : 0;
    } while (rdl_cli_flush(0));
    for (ssize_t got = 1; got > 0; n += got > 0 ? (size_t)got : 0)
        got = read(heard_fd[0], all + n, sizeof all - 1 - n);
    all[n] = '\0';
    return all + strspn(all, ".");
}

START_TEST(a_stalled_reader_blocks_nothing_and_loses_nothing)
{
    rdl_cli_set_verbosity(RDL_CLI_NORMAL);
    fill_stderr();
    rdl_cli_print_error("one");
    rdl_cli_print_warning("two");
    ck_assert_int_eq(rdl_cli_flush(0), 1);
    ck_assert_int_eq(fcntl(heard_fd[1], F_GETFL) & O_NONBLOCK, 0); /* other processes write there, too */
    ck_assert_str_eq(read_kept(), "redlock: one\nredlock: warning: two\n");
    ck_assert_int_eq(rdl_cli_flush(0), 0);
    rdl_cli_print_error("three");
    ck_assert_str_eq(read_kept(), "redlock: three\n");
}
END_TEST

START_TEST(messages_that_do_not_fit_the_buffer_are_counted)
{
    fill_stderr();
    int n_messages = 0, kept = 0, lost = 0;
    for (; n_messages < 5000; n_messages++)
        rdl_cli_print_error("line %d", n_messages);
    for (const char *p = read_kept(); *p != '\0'; p = strchr(p, '\n') + 1) {
        int is_reported = sscanf(p, "redlock: warning: %d lines were dropped", &lost) == 1;
        int i = -1;
        if (!is_reported && sscanf(p, "redlock: line %d\n", &i) == 1)
            ck_assert_int_eq(i, kept++);
        ck_assert_int_eq(lost > 0 || i >= 0, 1);
    }
    ck_assert_int_gt(kept, 500);
    ck_assert_int_eq(kept + lost, n_messages);
}
END_TEST

START_TEST(dropped_lines_are_an_event_in_a_json_log)
{
    const char *last, *all;

    fill_stderr();
    rdl_cli_log_open(STDERR_FILENO, RDL_CLI_LOG_JSON, "night\"ly");
    for (int i = 0; i < 1000; i++)
        rdl_cli_print_error("line");
    all = read_kept();
    last = all + strlen(all) - 1;
    while (last > all && last[-1] != '\n')
        last--;
    ck_assert_ptr_nonnull(strstr(event(last), " lines were dropped because nothing was reading them\"}\n"));
}
END_TEST

/* poll() reports space, and yet write() would block: this socket has space for half a line. */
START_TEST(a_partial_write_does_not_block)
{
    static char line[4096], all[3 * sizeof line];
    int least = 1, fd[2];
    size_t n = 0;

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
    ck_assert_int_eq(setsockopt(fd[1], SOL_SOCKET, SO_SNDBUF, &least, sizeof least), 0);
    dup2(fd[1], STDERR_FILENO);
    memset(line, 'x', sizeof line - 1);
    line[sizeof line - 1] = '\n';
    ck_assert_int_eq((int)write(fd[1], "\n", 1), 1); /* with it there is space for half a line */
    rdl_cli_put(STDERR_FILENO, line, sizeof line);
    rdl_cli_put(STDERR_FILENO, line, sizeof line);
    while (n < 1 + 2 * sizeof line) {
        ssize_t got = read(fd[0], all + n, sizeof all - n);
        ck_assert_int_gt((int)got, 0);
        n += (size_t)got;
        rdl_cli_flush(0);
    }
    ck_assert_mem_eq(all + 1, line, sizeof line);
    ck_assert_mem_eq(all + 1 + sizeof line, line, sizeof line);
}
END_TEST

START_TEST(an_alarm_set_before_a_message_still_fires)
{
    struct itimerval timer = {{0, 0}, {3000, 0}};

    heard_begin();
    setitimer(ITIMER_REAL, &timer, NULL);
    rdl_cli_print_error("f");
    getitimer(ITIMER_REAL, &timer);
    ck_assert_int_gt((int)timer.it_value.tv_sec, 2000);
    ck_assert_int_eq((int)timer.it_interval.tv_usec, 0);
}
END_TEST

START_TEST(a_pipe_without_a_reader_is_ignored)
{
    heard_begin();
    signal(SIGPIPE, SIG_IGN); /* as the command does */
    close(heard_fd[0]);
    rdl_cli_print_error("one");
    ck_assert_int_eq(rdl_cli_flush(0), 0);
    close(STDERR_FILENO);
    rdl_cli_print_error("two");
    ck_assert_int_eq(rdl_cli_flush(0), 0);
}
END_TEST

Suite *suite_cli_output(void)
{
    Suite *s = suite_create("cli_output");
    TCase *t = suite_case(s, "messages", heard_begin, NULL);
    tcase_add_test(t, verbosity_decides_which_messages_are_printed);
    tcase_add_test(t, a_message_is_one_line_without_control_characters);
    tcase_add_test(t, letters_in_a_message_are_unchanged);
    tcase_add_test(t, a_long_message_is_cut_and_still_ends_its_line);
    tcase_add_test(t, a_message_is_an_event_in_a_json_log_on_stderr);
    tcase_add_loop_test(t, other_logs_leave_messages_unchanged, 0, 2);
    t = suite_case(s, "blocked output", NULL, NULL);
    tcase_add_test(t, a_stalled_reader_blocks_nothing_and_loses_nothing);
    tcase_add_test(t, messages_that_do_not_fit_the_buffer_are_counted);
    tcase_add_test(t, dropped_lines_are_an_event_in_a_json_log);
    tcase_add_test(t, a_partial_write_does_not_block);
    tcase_add_test(t, an_alarm_set_before_a_message_still_fires);
    tcase_add_test(t, a_pipe_without_a_reader_is_ignored);
    return s;
}
