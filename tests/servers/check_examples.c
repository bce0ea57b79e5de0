/* SPDX-License-Identifier: MIT */
/* The examples run, with servers and without; the programs at the top of the headers are the real ones. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/net_uring.h"
#include "tests/fixtures/refused_call.h"
#include "tests/fixtures/tls.h"
#include "tests/suite.h"

enum { SERVERS = 5, OUTPUT_MAX = 4096, LINES_MAX = 400, LINE_MAX = 160 };

static struct live_server server[SERVERS];
static char output[OUTPUT_MAX];

static void teardown(void)
{
    live_remove_all(server, SERVERS);
}

static const char *url(int i)
{
    static char urls[SERVERS][256];

    return live_url(&server[i], LIVE_V4, urls[i], sizeof urls[i]);
}

/* The path of build/examples/`name`, next to this program. */
static const char *path_of(const char *name)
{
    static char path[4096];
    ssize_t len = readlink("/proc/self/exe", path, sizeof path - 1);

    ck_assert_int_gt(len, 0);
    path[len] = '\0';
    *strrchr(path, '/') = '\0';
    ck_assert_uint_lt(strlen(path) + strlen("/examples/") + strlen(name), sizeof path);
    strcat(strcat(path, "/examples/"), name);
    return path;
}

/* An example makes one attempt of 250 ms to extend or to release, and one renews a lease of 3 s. */
static int is_late(void)
{
    static const char *const words[] = {"no reply", "timed out", "watchdog: lost", "leader: no more"};
    int n = 0;

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        n += strstr(output, words[i]) != NULL;
    return n > 0;
}

static int run_example(const char *name, const char *args)
{
    char line[8192];
    size_t len;
    int status;
    FILE *f;

    ck_assert_int_lt(snprintf(line, sizeof line, "'%s' %s 2>&1", path_of(name), args), (int)sizeof line);
    f = popen(line, "re");
    ck_assert_ptr_nonnull(f);
    len = fread(output, 1, sizeof output - 1, f);
    output[len] = '\0';
    status = pclose(f);
    ck_assert_msg(WIFEXITED(status), "%s: %s", name, output);
    return WEXITSTATUS(status);
}

/*
 * Runs it; stores its output, and returns its exit status. Runs it again if it was too late, as on a busy
 * machine.
 */
static int run(const char *name, const char *args)
{
    int status = run_example(name, args);

    for (int i = 0; i < 3 && is_late(); i++)
        status = run_example(name, args);
    return status;
}

static void assert_prints(const char *text)
{
    ck_assert_msg(strstr(output, text) != NULL, "not said: %s\nbut: %s", text, output);
}

static const char *const examples[] = {"lock/minimal",       "lock/event_loop",      "lock/legacy",
                                       "lock/fencing",       "lock/small_chunks",    "redlock/minimal",
                                       "redlock/superloop",  "redlock/renewal",      "redlock/many_locks",
                                       "redlock/red_packet", "redlock/epoll_server", "redlock/raii",
                                       "redlock/easy",       "redlock/easy_thread",  "redlock/uring"};

/* ---------------------------------------------------------------- running the examples */

START_TEST(the_minimal_example_works)
{
    live_start(&server[0]);
    ck_assert_int_eq(run("lock/minimal", url(0)), 0);
    ck_assert_str_eq(output, "2 to go\n1 to go\n0 to go\n");
    ck_assert_str_eq(live_command(&server[0], "DBSIZE"), ":0\r\n");
}
END_TEST

/* Less than its ttl: how much less, depends on how busy this host is. */
static void assert_lasts(int ttl_s)
{
    const char *at = strstr(output, "the lock lasts for ");
    int s = 0, n = 0;

    ck_assert_msg(at != NULL, "%s", output);
    (void)sscanf(at, "the lock lasts for %d s\nreleased%n", &s, &n);
    ck_assert_str_eq(at + n, "\n");
    ck_assert_int_gt(s, 0);
    ck_assert_int_lt(s, ttl_s);
}

START_TEST(the_easy_example_works_on_one_server_too)
{
    char args[256 + 16];

    live_start(&server[0]);
    snprintf(args, sizeof args, "%s new", url(0));
    ck_assert_int_eq(run("redlock/easy", args), 0);
    assert_prints("work for 3 s; ");
    assert_lasts(10);
    ck_assert_str_eq(live_command(&server[0], "DBSIZE"), ":0\r\n");
}
END_TEST

/* As g++ and clang++ build it, with ASan. */
START_TEST(the_lock_in_cpp_releases_moves_and_reports_errors)
{
    live_start(&server[0]);
    ck_assert_msg(run(_i ? "redlock/easy_hpp_clang++" : "redlock/easy_hpp_g++", url(0)) == 0, "%s", output);
    ck_assert_str_eq(live_command(&server[0], "EXISTS a b c"), ":0\r\n");
}
END_TEST

START_TEST(small_chunks_takes_a_lock_sixteen_bytes_at_a_time)
{
    live_start(&server[0]);
    ck_assert_int_eq(run("lock/small_chunks", url(0)), 0);
    assert_prints("acquire: done\n");
    assert_prints("release: done, in ");
    assert_prints(" chunks of 16 bytes");
    ck_assert_str_eq(live_command(&server[0], "DBSIZE"), ":0\r\n");
}
END_TEST

START_TEST(event_loop_acquires_extends_and_releases)
{
    live_start(&server[0]);
    ck_assert_int_eq(run("lock/event_loop", url(0)), 0);
    assert_prints("acquire: done\nextend: done, for 1");
    assert_prints(" s\nrelease: done, after ");
    ck_assert_str_eq(live_command(&server[0], "DBSIZE"), ":0\r\n");
}
END_TEST

static const char *const loops[] = {"libuv", "io_uring"};
enum { LOOPS = sizeof loops / sizeof loops[0] };

/* Another client has the lock at first, so there is also a timed wait; at the end no client has it. */
START_TEST(locks_work_in_other_event_loops)
{
    char name[64];

    snprintf(name, sizeof name, "lock/loops/%s", loops[_i]);
    live_start(&server[0]);
    live_command(&server[0], "SET nightly somebody PX 300");
    ck_assert_int_eq(run(name, url(0)), 0);
    ck_assert_str_eq(output, "acquire: done\nextend: done\nrelease: done\n");
    ck_assert_str_eq(live_command(&server[0], "DBSIZE"), ":0\r\n");
    live_kill(&server[0]);
    ck_assert_int_eq(run(name, url(0)), 1);
    ck_assert_str_eq(output, "acquire: cannot connect\n");
}
END_TEST

/* ---------------------------------------------------------------- io_uring, or poll where it is refused */

/* 0: as this host has it; 1: refused, as in most containers. */
START_TEST(a_lock_over_io_uring_falls_back_to_poll)
{
    static struct rdl_uring uring;
    struct rdl_platform platform;
    char args[3 * 256];
    int is_refused;

    for (int i = 0; i < 3; i++)
        live_start(&server[i]);
    snprintf(args, sizeof args, "%s %s %s", url(0), url(1), url(2));
    if (_i == 1)
        refuse_call(SYS_io_uring_setup, EPERM);
    ck_assert_int_eq(run("redlock/uring", args), 0);
    is_refused = rdl_uring_init(&uring, &platform, NULL) != RDL_OK;
    ck_assert_int_eq(strstr(output, "no io_uring, so poll: ") != NULL, is_refused);
    rdl_uring_end(&uring);
    assert_prints("ours for ");
    assert_prints("\nreleased\n");
    for (int i = 0; i < 3; i++)
        ck_assert_str_eq(live_command(&server[i], "DBSIZE"), ":0\r\n");
}
END_TEST

/* ---------------------------------------------------------------- the epoll server */

static struct {
    pid_t pid;
    FILE *out;
    uint16_t port;
} epoll_server;

static void next_line_is(const char *expected)
{
    ck_assert_ptr_nonnull(fgets(output, sizeof output, epoll_server.out));
    ck_assert_str_eq(output, expected);
}

static void begin_epoll_server(void)
{
    const char *path = path_of("redlock/epoll_server");
    unsigned port;
    int ends[2];

    ck_assert_int_eq(pipe(ends), 0);
    epoll_server.pid = live_fork();
    if (epoll_server.pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl(path, path, url(0), (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    epoll_server.out = fdopen(ends[0], "r");
    ck_assert_ptr_nonnull(fgets(output, sizeof output, epoll_server.out));
    ck_assert_int_eq(sscanf(output, "port %u\n", &port), 1);
    epoll_server.port = (uint16_t)port;
}

/* What it replies to a client. */
static void client_reads(const char *expected)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(epoll_server.port)};
    char line[16] = "";
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
    ck_assert_int_gt(recv(fd, line, sizeof line - 1, MSG_WAITALL), 0);
    ck_assert_str_eq(line, expected);
    close(fd);
}

/* Its release is one attempt of 150 ms. If that was too late, as on a busy machine, another one ends. */
static void end_epoll_server(void)
{
    int status;

    kill(epoll_server.pid, SIGTERM);
    ck_assert_ptr_nonnull(fgets(output, sizeof output, epoll_server.out));
    ck_assert_int_eq(waitpid(epoll_server.pid, &status, 0), epoll_server.pid);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    if (is_late()) {
        begin_epoll_server();
        next_line_is("leader\n");
        end_epoll_server();
        return;
    }
    ck_assert_str_eq(output, "released: done\n");
    ck_assert_str_eq(live_command(&server[0], "DBSIZE"), ":0\r\n");
}

START_TEST(the_epoll_server_leads_and_renews_its_lock)
{
    live_start(&server[0]);
    begin_epoll_server();
    next_line_is("leader\n");
    client_reads("leader\n");
    live_await(&server[0], "INFO commandstats", "cmdstat_pexpire");
    client_reads("leader\n");
    end_epoll_server();
}
END_TEST

START_TEST(the_epoll_server_serves_while_another_one_leads)
{
    live_start(&server[0]);
    live_command(&server[0], "SET leader somebody");
    begin_epoll_server();
    live_await(&server[0], "INFO commandstats", "cmdstat_pttl"); /* it has tried */
    client_reads("standby\n");
    live_command(&server[0], "DEL leader");
    next_line_is("leader\n");
    client_reads("leader\n");
    end_epoll_server();
}
END_TEST

/* Without its server it cannot renew. Nothing is to be released then, which takes no time. */
START_TEST(the_epoll_server_stops_leading_before_its_lease_ends)
{
    int status;

    live_start(&server[0]);
    begin_epoll_server();
    next_line_is("leader\n");
    live_kill(&server[0]);
    next_line_is("standby\n");
    client_reads("standby\n");
    kill(epoll_server.pid, SIGTERM);
    ck_assert_int_eq(waitpid(epoll_server.pid, &status, 0), epoll_server.pid);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
END_TEST

/* ---------------------------------------------------------------- lwIP */

/* Over one connection: the other one is that of the next command here. */
START_TEST(many_locks_share_one_lwip_connection)
{
    char args[64];

    live_start(&server[0]);
    snprintf(args, sizeof args, "redis://10.0.2.2:%d", server[0].port);
    live_command(&server[0], "SET 'job 3' somebody PX 300");
    live_command(&server[0], "CONFIG RESETSTAT");
    ck_assert_int_eq(run("lock/loops/lwip", args), 0);
    ck_assert_str_eq(output, "acquired: 8\nreleased: 8\nconnections: 1\n");
    ck_assert_ptr_nonnull(strstr(live_command(&server[0], "INFO stats"), "total_connections_received:2\r\n"));
    ck_assert_str_eq(live_command(&server[0], "DBSIZE"), ":0\r\n");
    live_kill(&server[0]);
    ck_assert_int_eq(run("lock/loops/lwip", args), 1);
    ck_assert_str_eq(output, "acquired: 0\nthe last: cannot connect\nreleased: 0\nconnections: 0\n");
}
END_TEST

/* The last lock is released after the server has closed the connection, over another one. */
START_TEST(a_closed_lwip_connection_is_opened_again)
{
    char args[64];
    pid_t other;

    live_start(&server[0]);
    snprintf(args, sizeof args, "redis://10.0.2.2:%d", server[0].port);
    live_command(&server[0], "SET 'job 3' somebody");
    other = live_fork();
    if (other == 0) {
        live_await(&server[0], "CLIENT LIST", "cmd=pttl");
        live_command(&server[0], "CLIENT KILL TYPE normal SKIPME yes");
        live_await(&server[0], "CLIENT LIST", "cmd=pttl");
        live_command(&server[0], "DEL 'job 3'");
        _exit(0);
    }
    ck_assert_int_eq(run("lock/loops/lwip", args), 0);
    ck_assert_str_eq(output, "acquired: 8\nreleased: 8\nconnections: 1\n");
    live_reap(other);
}
END_TEST

/* ---------------------------------------------------------------- other examples */

START_TEST(the_legacy_example_works_with_old_programs)
{
    live_start(&server[0]);
    ck_assert_int_eq(run("lock/legacy", url(0)), 0);
    assert_prints("taken\nours for 5");
    assert_prints(" s\nrelease: done\n");
    live_command(&server[0], "SET lock.foo 1600000000");
    ck_assert_int_eq(run("lock/legacy", url(0)), 0);
    assert_prints("taken over from a holder whose lease had expired\n");
    live_command(&server[0], "SET lock.foo locked");
    ck_assert_int_eq(run("lock/legacy", url(0)), 1);
    assert_prints("check it, and delete it by hand\n");
    live_command(&server[0], "SET lock.foo locked PX 60000");
    ck_assert_int_eq(run("lock/legacy", url(0)), 1);
    assert_prints("free in ");
    live_command(&server[0], "SET lock.foo 2147483649.0");
    ck_assert_int_eq(run("lock/legacy", url(0)), 1);
    assert_prints("the holder set no expiry");
}
END_TEST

START_TEST(the_fencing_example_refuses_a_late_write)
{
    live_start(&server[0]);
    ck_assert_int_eq(run("lock/fencing", url(0)), 0);
    assert_prints("done\nAnna writes with ");
    assert_prints(": refused\nthe store holds what Berta wrote\n");
}
END_TEST

START_TEST(redlock_minimal_needs_a_majority)
{
    char args[5 * 256] = "";

    for (int i = 0; i < SERVERS; i++) {
        live_start(&server[i]);
        snprintf(args + strlen(args), sizeof args - strlen(args), "%s ", url(i));
    }
    ck_assert_int_eq(run("redlock/minimal", args), 0);
    assert_prints("ours on ");
    live_kill(&server[0]);
    live_kill(&server[1]);
    ck_assert_int_eq(run("redlock/minimal", args), 0);
    assert_prints("ours on 3 of 5 for ");
    live_kill(&server[2]);
    ck_assert_int_eq(run("redlock/minimal", args), 1);
    for (int i = 3; i < SERVERS; i++)
        ck_assert_str_eq(live_command(&server[i], "DBSIZE"), ":0\r\n");
}
END_TEST

/* With `down` of five servers killed. No key is left on the others. */
static int run_on_five(const char *name, int down)
{
    char args[5 * 256] = "";
    int status;

    for (int i = 0; i < SERVERS; i++) {
        live_start(&server[i]);
        snprintf(args + strlen(args), sizeof args - strlen(args), "%s ", url(i));
    }
    for (int i = 0; i < down; i++)
        live_kill(&server[i]);
    status = run(name, args);
    for (int i = down; i < SERVERS; i++)
        ck_assert_str_eq(live_command(&server[i], "DBSIZE"), ":0\r\n");
    return status;
}

START_TEST(the_superloop_example_pumps_only_with_the_lock)
{
    ck_assert_int_eq(run_on_five("redlock/superloop", 2 * _i), 0);
    ck_assert_str_eq(output, "pumped: done\n");
}
END_TEST

/* The work takes longer than the ttl, so it was renewed at least once. */
START_TEST(the_renewal_example_holds_the_lock_as_long_as_needed)
{
    unsigned watchdog = 0, leader = 0;

    ck_assert_int_eq(run_on_five("redlock/renewal", 2), 0);
    ck_assert_msg(sscanf(output,
                         "watchdog: done, renewed %u times\n"
                         "leader: to the end, renewed %u times\n",
                         &watchdog, &leader) == 2,
                  "%s", output);
    ck_assert_uint_ge(watchdog, 1);
    ck_assert_uint_ge(leader, 1);
}
END_TEST

START_TEST(the_many_locks_example_acquires_and_releases_all)
{
    ck_assert_int_eq(run_on_five("redlock/many_locks", 2 * _i), 0);
    ck_assert_str_eq(output, "100 of 100 orders done\n");
}
END_TEST

START_TEST(examples_print_their_usage_without_arguments)
{
    ck_assert_int_eq(run(examples[_i], ""), 2);
    assert_prints("usage: ");
    ck_assert_int_eq(run(examples[_i], "http://nowhere"), 2);
    ck_assert_int_eq(run(examples[_i], "a b c d e"), 2);
}
END_TEST

START_TEST(examples_report_a_held_lock)
{
    live_start(&server[0]);
    live_command(&server[0], "SET nightly 00112233445566778899aabbccddeeff00000001 PX 600000");
    ck_assert_int_eq(run("lock/minimal", url(0)), 1);
    assert_prints("is held by another client");
    ck_assert_str_eq(live_command(&server[0], "DBSIZE"), ":1\r\n");
}
END_TEST

/* ---------------------------------------------------------------- what their first comments say */

static const char *const commented[] = {
    "lock/examples/minimal.c",        "lock/examples/event_loop.c",    "lock/examples/fencing.c",
    "lock/examples/legacy.c",         "lock/examples/small_chunks.c",  "lock/examples/unit_test.c",
    "redlock/examples/raii.cpp",      "lock/examples/loops/libuv.c",   "lock/examples/loops/io_uring.c",
    "redlock/examples/minimal.c",     "redlock/examples/many_locks.c", "redlock/examples/renewal.c",
    "redlock/examples/superloop.c",   "redlock/examples/red_packet.c", "redlock/examples/easy.c",
    "redlock/examples/easy_thread.c", "redlock/examples/uring.c"};
enum { COMMENTED = sizeof commented / sizeof commented[0] };

/* Appends n bytes of text to out, which has OUTPUT_MAX bytes. */
static void append(char *out, const char *text, size_t n)
{
    ck_assert_uint_lt(strlen(out) + n, OUTPUT_MAX);
    strncat(out, text, n);
}

static void append_url(char *out, int i)
{
    if (server[i].pid == 0)
        live_start(&server[i]);
    append(out, url(i), strlen(url(i)));
}

/* A line of the command: without what builds the program, with the addresses of servers that run. */
static void append_command(char *out, const char *line, const char *dir)
{
    static const char example[] = "redis://127.0.0.1:6379", built[] = "build/", here[] = "./";
    const char *after = line;
    int urls = 0;

    for (const char *and = line; (and = strstr(and, "&& ")) != NULL; and += 3)
        after = and+3;
    for (; *after != '\0'; after++)
        if (strncmp(after, example, sizeof example - 1) == 0) {
            append_url(out, 0);
            after += sizeof example - 2;
        } else if (strncmp(after, "URL", 3) == 0) {
            append_url(out, urls++);
            after += 2;
        } else if (strncmp(after, built, sizeof built - 1) == 0) {
            append(out, dir, strlen(dir));
            after += sizeof built - 3;
        } else if (strncmp(after, here, sizeof here - 1) == 0) {
            append(out, dir, strlen(dir));
            append(out, "/examples/redlock/", 18);
            after++;
        } else {
            append(out, after, 1);
        }
}

/* Numbers differ from run to run. */
static void hide_numbers(char *text)
{
    char *to = text;

    for (; *text != '\0'; text++) {
        if (!isdigit((unsigned char)*text))
            *to++ = *text;
        else if (!isdigit((unsigned char)text[1]))
            *to++ = '0';
    }
    *to = '\0';
}

/* Reads the first comment of an example: its command, and what it prints. */
static void read_comment(const char *path, const char *dir, char *command, char *printed)
{
    FILE *f = fopen(path, "re");
    char line[LINE_MAX];
    int is_after = 0;

    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof line, f) != NULL && strcmp(line, " */\n") != 0) {
        int is_indented = strncmp(line, " *     ", 7) == 0;
        is_after |= strcmp(line, " * prints:\n") == 0;
        if (is_indented && !is_after)
            append_command(command, line + 7, dir);
        else if (is_indented)
            append(printed, line + 7, strlen(line + 7));
        else if (printed[0] != '\0')
            break;
    }
    fclose(f);
}

START_TEST(examples_print_what_their_first_comment_says)
{
    static char command[OUTPUT_MAX], printed[OUTPUT_MAX];
    char folder[] = "/tmp/examples-XXXXXX";
    char dir[4096];
    FILE *f;
    int status, tries = 0;

    strcpy(dir, path_of(""));
    strstr(dir, "/examples/")[0] = '\0';
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(command, sizeof command, "cd %s\n", folder);
    read_comment(commented[_i], dir, command, printed);
    do {
        f = popen(command, "re");
        ck_assert_ptr_nonnull(f);
        output[fread(output, 1, sizeof output - 1, f)] = '\0';
        status = pclose(f);
    } while (is_late() && ++tries < 4);
    snprintf(command, sizeof command, "%s/packet", folder);
    unlink(command);
    ck_assert_int_eq(rmdir(folder), 0);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: %s", commented[_i], output);
    hide_numbers(output);
    hide_numbers(printed);
    ck_assert_str_eq(output, printed);
}
END_TEST

/* ---------------------------------------------------------------- the programs in the headers */

struct lines {
    char line[LINES_MAX][LINE_MAX];
    int n;
};

/* The lines of a file; of a header, only those of the program at its top, without their comment marks. */
static void read_lines(const char *path, int is_header, struct lines *out)
{
    FILE *f = fopen(path, "re");
    char line[LINE_MAX];

    out->n = 0;
    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof line, f) != NULL && (!is_header || strcmp(line, " */\n") != 0)) {
        const char *from = is_header ? " *     " : "    ";
        size_t skip = strlen(from);
        line[strcspn(line, "\n")] = '\0';
        if (is_header && out->n > 0 && strncmp(line, from, skip) != 0)
            break;
        if (strncmp(line, from, skip) != 0)
            continue;
        ck_assert_int_lt(out->n, LINES_MAX);
        strcpy(out->line[out->n++], line + skip);
    }
    fclose(f);
}

/* Successive lines of the header are successive in the program too, except where "..." replaces some. */
START_TEST(the_programs_in_the_headers_are_the_examples)
{
    static const char *const headers[] = {"lock/lock_io.h", "redlock/redlock.h"};
    static const char *const programs[] = {"lock/examples/minimal.c", "redlock/examples/minimal.c"};
    static struct lines header, program;
    int may_skip = 1;
    int at = 0;

    read_lines(headers[_i], 1, &header);
    read_lines(programs[_i], 0, &program);
    ck_assert_int_gt(header.n, 5);
    for (int i = 0; i < header.n; i++) {
        if (strcmp(header.line[i], "...") == 0) {
            may_skip = 1;
            continue;
        }
        while (may_skip && at < program.n && strcmp(program.line[at], header.line[i]) != 0)
            at++;
        ck_assert_msg(at < program.n, "not in %s: %s", programs[_i], header.line[i]);
        ck_assert_str_eq(program.line[at++], header.line[i]);
        may_skip = 0;
    }
}
END_TEST

/* ---------------------------------------------------------------- TLS */

static struct tls_server over_tls;

static void setup_tls(void)
{
    memset(&over_tls, 0, sizeof over_tls);
    tls_begin();
}

static void teardown_tls(void)
{
    tls_remove(&over_tls);
    tls_end();
}

static const struct {
    const char *name;
    const char *words[4]; /* by enum tls_paper: why it is refused */
} drivers[] = {
    {"lock/tls_openssl",
     {"", "certificate has expired", "hostname mismatch", "unable to get local issuer certificate"}},
    {"lock/tls_mbedtls",
     {"", "The certificate validity has expired", "The certificate Common Name (CN) does not match",
      "The certificate is not correctly signed by the trusted CA"}},
};
enum { DRIVERS = sizeof drivers / sizeof drivers[0] };

static int run_over_tls(const char *name)
{
    char args[2 * LIVE_PATH_MAX];

    snprintf(args, sizeof args, "redis://127.0.0.1:%d '%s' localhost", over_tls.port, tls_authority());
    return run(name, args);
}

START_TEST(examples_take_a_lock_over_tls)
{
    tls_start(&over_tls, TLS_RIGHT);
    live_command(&over_tls.live, "SET nightly somebody PX 300");
    ck_assert_int_eq(run_over_tls(drivers[_i].name), 0);
    ck_assert_str_eq(output, "acquire: done\nextend: done\nrelease: done\n");
    ck_assert_str_eq(live_command(&over_tls.live, "DBSIZE"), ":0\r\n");
}
END_TEST

/* The server gets no command. */
START_TEST(examples_refuse_a_wrong_certificate_with_a_reason)
{
    enum tls_paper paper = (enum tls_paper)(_i % 3 + 1);
    const char *why = drivers[_i / 3].words[paper];

    tls_start(&over_tls, paper);
    ck_assert_int_eq(run_over_tls(drivers[_i / 3].name), 1);
    ck_assert_msg(strncmp(output, "acquire: ", 9) == 0 && strstr(output, why) != NULL, "not %s: %s", why,
                  output);
    ck_assert_ptr_null(strstr(live_command(&over_tls.live, "INFO commandstats"), "cmdstat_set"));
}
END_TEST

START_TEST(a_tls_session_is_resumed_and_the_files_are_read_again)
{
    tls_start(&over_tls, TLS_RIGHT);
    ck_assert_int_eq(run_over_tls("lock/tls_twice"), 0);
    ck_assert_str_eq(output, "first: done, session new\n"
                             "second: done, session resumed\n"
                             "third: the TLS handshake failed: /does/not/exist: No such file or directory\n");
}
END_TEST

/* Of the authorities, the client's certificate, and its key. */
START_TEST(a_tls_file_that_cannot_be_read_is_named)
{
    const char *files[] = {tls_authority(), over_tls.words[1], over_tls.words[2]};
    char args[4 * LIVE_PATH_MAX];

    tls_start(&over_tls, TLS_RIGHT);
    files[_i % 3] = "/no/such.pem";
    snprintf(args, sizeof args, "redis://127.0.0.1:%d '%s' localhost '%s' '%s'", over_tls.port, files[0],
             files[1], files[2]);
    ck_assert_int_eq(run(drivers[_i / 3].name, args), 1);
    assert_prints("/no/such.pem: ");
}
END_TEST

/* Without a name the certificate must have the URL's address; Mbed TLS accepts one from version 3 on. */
START_TEST(a_certificate_must_have_the_urls_host)
{
    char args[2 * LIVE_PATH_MAX];

    tls_start(&over_tls, TLS_RIGHT);
    snprintf(args, sizeof args, "redis://127.0.0.1:%d '%s'", over_tls.port, tls_authority());
    ck_assert_int_eq(run("lock/tls_openssl", args), 0);
    snprintf(args, sizeof args, "redis://[::1]:%d '%s'", over_tls.port, tls_authority());
    ck_assert_int_eq(run("lock/tls_mbedtls", args), 1);
    assert_prints(drivers[1].words[TLS_OTHER]);
    ck_assert_int_eq(run("lock/tls_openssl", args), 1);
    assert_prints("IP address mismatch");
}
END_TEST

START_TEST(examples_send_the_clients_certificate)
{
    char args[4 * LIVE_PATH_MAX];

    over_tls.needs_certificate = 1;
    tls_start(&over_tls, TLS_RIGHT);
    snprintf(args, sizeof args, "redis://127.0.0.1:%d '%s' localhost '%s' '%s'", over_tls.port,
             tls_authority(), over_tls.words[1], over_tls.words[2]);
    ck_assert_int_eq(run(drivers[_i].name, args), 0);
    ck_assert_str_eq(output, "acquire: done\nextend: done\nrelease: done\n");
    ck_assert_int_eq(run_over_tls(drivers[_i].name), 1);
    if (_i == 0) /* Mbed TLS may be sending when the server's alert and the end arrive: it does not read it */
        assert_prints("acquire: the TLS handshake failed: tlsv13 alert certificate required");
}
END_TEST

static int run_easy_over_tls(void)
{
    char args[2 * LIVE_PATH_MAX];

    snprintf(args, sizeof args, "%s '%s' new", tls_url(&over_tls), tls_authority());
    return run("redlock/easy_tls", args);
}

START_TEST(the_easy_example_takes_a_lock_over_tls)
{
    tls_start(&over_tls, TLS_RIGHT);
    ck_assert_int_eq(run_easy_over_tls(), 0);
    assert_lasts(30);
    ck_assert_str_eq(live_command(&over_tls.live, "DBSIZE"), ":0\r\n");
}
END_TEST

START_TEST(the_easy_example_names_the_server_and_the_reason)
{
    enum tls_paper paper = (enum tls_paper)(_i + 1);
    char text[300];

    tls_start(&over_tls, paper);
    ck_assert_int_eq(run_easy_over_tls(), 1);
    snprintf(
        text, sizeof text,
        "lock \"nightly\": the server gave no useful reply (localhost:%d: the TLS handshake failed: %s)\n",
        over_tls.port, drivers[0].words[paper]);
    ck_assert_str_eq(output, text);
    ck_assert_ptr_null(strstr(live_command(&over_tls.live, "INFO commandstats"), "cmdstat_set"));
}
END_TEST

START_TEST(examples_report_a_missing_server_in_the_systems_words)
{
    tls_start(&over_tls, TLS_RIGHT);
    live_kill(&over_tls.live);
    ck_assert_int_eq(run_over_tls(drivers[_i].name), 1);
    ck_assert_ptr_nonnull(strstr(output, "Connection refused"));
}
END_TEST

Suite *suite_examples(void)
{
    Suite *suite = suite_create("examples");
    TCase *tc = suite_case(suite, "run", NULL, teardown);
    TCase *text = suite_case(suite, "text", NULL, NULL);

    tcase_add_test(tc, the_minimal_example_works);
    tcase_add_test(tc, the_easy_example_works_on_one_server_too);
    tcase_add_loop_test(tc, the_lock_in_cpp_releases_moves_and_reports_errors, 0, 2);
    tcase_add_test(tc, small_chunks_takes_a_lock_sixteen_bytes_at_a_time);
    tcase_add_test(tc, event_loop_acquires_extends_and_releases);
    tcase_add_test(tc, the_legacy_example_works_with_old_programs);
    tcase_add_test(tc, the_fencing_example_refuses_a_late_write);
    tcase_add_test(tc, redlock_minimal_needs_a_majority);
    tcase_add_loop_test(tc, examples_print_their_usage_without_arguments, 0,
                        sizeof examples / sizeof examples[0]);
    tcase_add_loop_test(tc, the_superloop_example_pumps_only_with_the_lock, 0, 2);
    tcase_add_test(tc, the_renewal_example_holds_the_lock_as_long_as_needed);
    tcase_add_loop_test(tc, the_many_locks_example_acquires_and_releases_all, 0, 2);
    tcase_add_test(tc, examples_report_a_held_lock);
    tcase_add_loop_test(text, the_programs_in_the_headers_are_the_examples, 0, 2);
    return suite;
}

Suite *suite_examples_loops(void)
{
    Suite *s = suite_create("examples_loops");
    TCase *tc = suite_case(s, "run", NULL, teardown);

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, locks_work_in_other_event_loops, 0, LOOPS);
    tcase_add_loop_test(tc, a_lock_over_io_uring_falls_back_to_poll, 0, 2);
    tcase_add_test(tc, the_epoll_server_leads_and_renews_its_lock);
    tcase_add_test(tc, the_epoll_server_serves_while_another_one_leads);
    tcase_add_test(tc, the_epoll_server_stops_leading_before_its_lease_ends);
    return s;
}

Suite *suite_examples_comments(void)
{
    Suite *s = suite_create("examples_comments");
    TCase *tc = suite_case(s, "run", NULL, teardown);

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, examples_print_what_their_first_comment_says, 0, COMMENTED);
    return s;
}

Suite *suite_examples_lwip(void)
{
    Suite *s = suite_create("examples_lwip");
    TCase *tc = suite_case(s, "run", NULL, teardown);

    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, many_locks_share_one_lwip_connection);
    tcase_add_test(tc, a_closed_lwip_connection_is_opened_again);
    return s;
}

Suite *suite_examples_tls(void)
{
    Suite *s = suite_create("examples_tls");
    TCase *tc = suite_case(s, "run", setup_tls, teardown_tls);

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, examples_take_a_lock_over_tls, 0, DRIVERS);
    tcase_add_loop_test(tc, examples_refuse_a_wrong_certificate_with_a_reason, 0, DRIVERS * 3);
    tcase_add_loop_test(tc, a_tls_file_that_cannot_be_read_is_named, 0, 3 * DRIVERS);
    tcase_add_test(tc, a_tls_session_is_resumed_and_the_files_are_read_again);
    tcase_add_test(tc, a_certificate_must_have_the_urls_host);
    tcase_add_loop_test(tc, examples_send_the_clients_certificate, 0, DRIVERS);
    tcase_add_test(tc, the_easy_example_takes_a_lock_over_tls);
    tcase_add_loop_test(tc, the_easy_example_names_the_server_and_the_reason, 0, 3);
    tcase_add_loop_test(tc, examples_report_a_missing_server_in_the_systems_words, 0, DRIVERS);
    return s;
}
