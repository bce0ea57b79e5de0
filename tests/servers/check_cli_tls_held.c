/* SPDX-License-Identifier: MIT */
/* Locks that are held over TLS: programs that die, servers that die, and what is left. */
#define _GNU_SOURCE
#include "tests/fixtures/command.h"
#include "tests/fixtures/relay.h"
#include "tests/fixtures/tls.h"
#include "tests/suite.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { N = 5, FEW = 40, PROCESSES = 40 };

static struct tls_server server[N];
static struct relay relay;
static struct command a;
static int started;

static void setup(void)
{
    memset(server, 0, sizeof server);
    memset(&relay, 0, sizeof relay);
    started = 0;
    setenv("REDLOCK_RESTART_GUARD", "off", 1);
    tls_begin();
}

static void teardown(void)
{
    if (relay.port != 0)
        relay_stop(&relay);
    for (int i = 0; i < started; i++)
        tls_remove(&server[i]);
    tls_end();
}

static void start_servers(int n)
{
    for (; started < n; started++)
        tls_start(&server[started], TLS_RIGHT);
}

static void pause_a_little(void)
{
    const struct timespec pause = {0, 5000000};

    nanosleep(&pause, NULL);
}

/* redlock VERB --connect-command TEXT -u URL... OPTIONS... */
static void start(const char *verb, const char *text, const char *const options[])
{
    memset(&a, 0, sizeof a);
    command_add_all(&a, (const char *const[]){verb, "--connect-command", text, NULL});
    for (int i = 0; i < started; i++)
        command_add_all(&a, (const char *const[]){"-u", tls_url(&server[i]), NULL});
    command_add_all(&a, options);
    command_start(&a);
}

/* A busy machine may take long to start the programs and to pass bytes through them. */
#define HELD(ttl, attempt)                                                                                   \
    {                                                                                                        \
        "-v", "--ttl", ttl, "--attempt", attempt, "nightly", "-c", "echo in >&9; exec sleep 300", NULL       \
    }

static const char *const held[] = HELD("6s", "1500ms");
/* For a test that waits for many renewals. */
static const char *const held_briefly[] = HELD("3s", "700ms");

/* Until the key's remaining time on this server has grown this often. */
static void await_renewals(struct tls_server *s, int n)
{
    while (n > 0) {
        long last = strtol(live_command(&s->live, "PTTL nightly") + 1, NULL, 10), next;
        pause_a_little();
        next = strtol(live_command(&s->live, "PTTL nightly") + 1, NULL, 10);
        n -= last > 0 && next > last;
    }
}

/* ---------------------------------------------------------------- its processes */

struct process {
    pid_t pid, parent, session;
    char name[20];
};

static int read_process(const char *number, struct process *p)
{
    char path[300], line[400] = "", state;
    int parent, group, session;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%s/stat", number);
    f = number[0] >= '1' && number[0] <= '9' ? fopen(path, "re") : NULL;
    if (f == NULL)
        return 0;
    char *end = fgets(line, sizeof line, f) != NULL ? strrchr(line, ')') : NULL;
    fclose(f);
    if (end == NULL || sscanf(end + 1, " %c %d %d %d", &state, &parent, &group, &session) != 4)
        return 0;
    p->pid = (pid_t)strtol(number, NULL, 10);
    p->parent = parent;
    p->session = session;
    snprintf(p->name, sizeof p->name, "%.*s", (int)(end - strchr(line, '(') - 1), strchr(line, '(') + 1);
    return 1;
}

/* The processes of connect commands. The guardian leads a session too, but it has its name before that. */
static int find_connectors(pid_t out[PROCESSES])
{
    static struct process all[4000];
    DIR *proc = opendir("/proc");
    int n = 0, found = 0;

    ck_assert_ptr_nonnull(proc);
    for (struct dirent *d = readdir(proc); d != NULL && n < 4000; d = readdir(proc))
        n += read_process(d->d_name, &all[n]);
    closedir(proc);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n && found < PROCESSES; k++)
            if (all[k].pid == all[i].session && all[k].parent == a.pid &&
                strcmp(all[k].name, "lock-guardian") != 0)
                out[found++] = all[i].pid;
    }
    return found;
}

static void await_all_gone(const pid_t pid[], int n)
{
    for (int i = 0; i < n; i++)
        command_await_gone(pid[i]);
}

/* ---------------------------------------------------------------- processes and servers that die */

START_TEST(a_dead_connect_command_is_replaced_and_renewals_continue)
{
    pid_t pid[PROCESSES];

    start_servers(1);
    start("run", tls_openssl(), held);
    command_note(&a);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(find_connectors(pid), 1);
        kill(pid[0], SIGKILL);
        command_await_gone(pid[0]);
        await_renewals(&server[0], 1);
    }
    kill(a.pid, SIGTERM);
    ck_assert_int_eq(command_end(&a), 128 + SIGTERM);
    ck_assert_str_eq(live_command(&server[0].live, "EXISTS nightly"), ":0\r\n");
}
END_TEST

START_TEST(five_tls_servers_renew_the_lease_after_two_die)
{
    pid_t pid[PROCESSES];

    start_servers(N);
    start("run", tls_openssl(), held);
    command_note(&a);
    for (int i = 0; i < N; i++) /* the command starts when three have it */
        live_await(&server[i].live, "EXISTS nightly", ":1\r\n");
    await_renewals(&server[0], 1); /* a key that came late counts from now on */
    live_kill(&server[1].live);
    live_kill(&server[3].live);
    await_renewals(&server[0], 3);
    await_renewals(&server[4], 1);
    ck_assert_int_ge(find_connectors(pid), 3);
    kill(a.pid, SIGTERM);
    ck_assert_int_eq(command_end(&a), 128 + SIGTERM);
    for (int i = 0; i < N; i += 2)
        ck_assert_str_eq(live_command(&server[i].live, "EXISTS nightly"), ":0\r\n");
}
END_TEST

/*
 * Without TLS, which takes time. Two processes each; redlock does not wait for one of them. An orphaned bash
 * takes a socket as its input for rshd, and would read ~/.bashrc.
 */
static const char plain[] = "bash --norc -c 'exec 3<>/dev/tcp/127.0.0.1/%p; cat <&3 & exec cat >&3'";

static void cut(struct live_server *s)
{
    live_await(s, "CLIENT LIST", " cmd=eval"); /* it has served a renewal */
    ck_assert_str_eq(live_command(s, "CLIENT KILL TYPE normal SKIPME yes"), ":1\r\n");
}

/* How often: RDL_RECONNECTS, or a few times. */
static int how_many(void)
{
    const char *wanted = getenv("RDL_RECONNECTS");

    return wanted != NULL ? atoi(wanted) : FEW;
}

/* Two servers: the others are a majority, even if a busy machine delays these. */
START_TEST(reconnects_leave_no_descriptor_and_no_process)
{
    pid_t pid[PROCESSES];
    int fds = 0;

    start_servers(N);
    for (int i = 0; i < N; i++)
        server[i].port = server[i].live.port;
    start("run", plain, held_briefly);
    command_note(&a);
    for (int cuts = 0; cuts < how_many(); cuts++) {
        cut(&server[cuts % 2].live);
        if (cuts == 2)
            fds = live_count_fds_of(a.pid);
    }
    for (int i = 0; i < N; i++)
        live_await(&server[i].live, "CLIENT LIST", " cmd=eval");
    ck_assert_int_le(live_count_fds_of(a.pid), fds + 2); /* a connection was cut then, and none is now */
    ck_assert_int_eq(find_connectors(pid), 2 * N);
    kill(a.pid, SIGTERM);
    ck_assert_int_eq(command_end(&a), 128 + SIGTERM);
    await_all_gone(pid, 2 * N);
}
END_TEST

/* ---------------------------------------------------------------- several connections */

START_TEST(a_hint_waiter_has_a_second_tls_connection)
{
    start_servers(1);
    live_command(&server[0].live, "SET nightly somebody PX 600000");
    start("acquire", tls_openssl(), (const char *const[]){"--wake-hint", "nightly", NULL});
    live_await(&server[0].live, "CLIENT LIST", " cmd=blpop ");
    ck_assert_uint_eq(command_count(live_command(&server[0].live, "CLIENT LIST"), " name=redlock:acquire:"),
                      2);
    kill(a.pid, SIGTERM);
    command_end(&a);
}
END_TEST

/* A majority of three needs both kinds; the same bytes are sent. */
START_TEST(servers_with_and_without_tls_hold_a_lock_together)
{
    char plain_url[2][LIVE_PATH_MAX + 40];

    start_servers(3);
    live_url(&server[1].live, LIVE_V4, plain_url[0], sizeof plain_url[0]);
    live_url(&server[2].live, LIVE_UNIX, plain_url[1], sizeof plain_url[1]);
    memset(&a, 0, sizeof a);
    command_add_all(&a, (const char *const[]){"run", "--connect-command", tls_openssl(), "--trace", "-u",
                                              tls_url(&server[0]), "-u", plain_url[_i], "-u",
                                              "redis://127.0.0.1:1", "nightly", "--", "true", NULL});
    ck_assert_msg(command_run(&a) == 0, "%s", a.err);
    assert_has(a.err, " #1 > \"*6\\r\\n$3\\r\\nSET\\r\\n$7\\r\\nnightly\\r\\n");
    assert_has(a.err, " #2 > \"*6\\r\\n$3\\r\\nSET\\r\\n$7\\r\\nnightly\\r\\n");
}
END_TEST

/* ---------------------------------------------------------------- leftovers */

static const char *text_of(int i)
{
    return i == 0 ? tls_openssl() : tls_text("cat | %s | cat", tls_openssl());
}

/* As one process, and as a shell's pipeline, whose parts then become orphans. */
START_TEST(a_killed_redlock_leaves_no_connect_command)
{
    pid_t pid[PROCESSES];
    int n;

    start_servers(1);
    start("run", text_of(_i), held);
    command_note(&a);
    n = find_connectors(pid);
    ck_assert_int_ge(n, _i == 0 ? 1 : 4);
    kill(a.pid, SIGKILL);
    await_all_gone(pid, n);
    command_end(&a);
}
END_TEST

START_TEST(ctrl_c_spares_the_connect_command_and_frees_the_lock)
{
    pid_t pid[PROCESSES];
    int n;

    start_servers(1);
    start("run", text_of(_i), held);
    command_note(&a);
    n = find_connectors(pid);
    for (int i = 0; i < n; i++)
        ck_assert_int_ne(getsid(pid[i]), getsid(a.pid));
    kill(a.pid, SIGINT);
    ck_assert_int_eq(command_end(&a), 128 + SIGINT);
    ck_assert_str_eq(live_command(&server[0].live, "EXISTS nightly"), ":0\r\n");
    await_all_gone(pid, n);
}
END_TEST

START_TEST(a_stuck_connect_command_is_killed)
{
    pid_t pid[PROCESSES];
    int n = 0;

    started = 0;
    memset(&a, 0, sizeof a);
    command_add_all(&a,
                    (const char *const[]){"acquire", "--connect-command",
                                          "sh -c 'trap \"\" TERM INT HUP; sleep 60; sleep 60'", "-u",
                                          "rediss://localhost:1", "-n", "--attempt", "2s", "nightly", NULL});
    command_start(&a);
    while (n < 2)
        n = find_connectors(pid);
    ck_assert_int_eq(command_end(&a), 69);
    await_all_gone(pid, n);
}
END_TEST

START_TEST(a_noisy_connect_command_blocks_nothing)
{
    start_servers(1);
    start("run", tls_text("yes noise >&2 & exec %s", tls_openssl()),
          (const char *const[]){"nightly", "--", "true", NULL});
    ck_assert_msg(command_end(&a) == 0, "%s", a.err);
}
END_TEST

/* ---------------------------------------------------------------- timing */

/* Replies that come while one is late belong to it, so each is a round trip; the connect is one more. */
START_TEST(an_acquire_over_tls_takes_ten_round_trips_at_most)
{
    static const struct {
        const char *const options[8];
        const char *verb;
    } ways[] = {
        {{"-n", "--attempt=5s", "nightly", NULL}, "acquire"},
        {{"-n", "--attempt=5s", "--fence", "nightly", NULL}, "acquire"},
        {{"-n", "--attempt=5s", "-l", "a", "-l", "b", NULL}, "acquire"},
        {{"-n", "--attempt=5s", "--legacy=always", "nightly", "--", "true", NULL}, "run"},
    };
    int port;

    start_servers(1);
    relay_start(&relay, server[0].port, 40);
    port = server[0].port;
    server[0].port = relay.port;
    start(ways[_i].verb, tls_openssl(), ways[_i].options);
    command_end(&a);
    server[0].port = port;
    ck_assert_msg(a.status == 0, "%s", a.err);
    ck_assert_msg(*relay.answers + 1 <= 10, "%d round trips", *relay.answers + 1);
    ck_assert_int_ge(*relay.answers, 1); /* two may come as one */
}
END_TEST

/*
 * The attempt starts when the program has connected, however long that takes, although the guard sends
 * nothing. Again if a busy host had too little time for a request.
 */
START_TEST(connecting_over_tls_does_not_shorten_the_attempt)
{
    int port, tries = 0;

    start_servers(1);
    relay_start(&relay, server[0].port, 300);
    port = server[0].port;
    server[0].port = relay.port;
    do {
        live_command(&server[0].live, "DEL nightly");
        start("acquire", tls_openssl(), (const char *const[]){"-n", "nightly", NULL});
    } while (command_end(&a) != 0 && ++tries < 4);
    server[0].port = port;
    ck_assert_msg(a.status == 0, "%s", a.err);
}
END_TEST

Suite *suite_cli_tls_held(void)
{
    Suite *s = suite_create("cli_tls_held");
    TCase *tc = suite_case(s, "held", setup, teardown);

    tcase_set_timeout(tc, 900);
    tcase_add_test(tc, a_dead_connect_command_is_replaced_and_renewals_continue);
    tcase_add_test(tc, five_tls_servers_renew_the_lease_after_two_die);
    tcase_add_test(tc, reconnects_leave_no_descriptor_and_no_process);
    tcase_add_test(tc, a_hint_waiter_has_a_second_tls_connection);
    tcase_add_loop_test(tc, servers_with_and_without_tls_hold_a_lock_together, 0, 2);
    tcase_add_loop_test(tc, a_killed_redlock_leaves_no_connect_command, 0, 2);
    tcase_add_loop_test(tc, ctrl_c_spares_the_connect_command_and_frees_the_lock, 0, 2);
    tcase_add_test(tc, a_stuck_connect_command_is_killed);
    tcase_add_test(tc, a_noisy_connect_command_blocks_nothing);
    tcase_add_loop_test(tc, an_acquire_over_tls_takes_ten_round_trips_at_most, 0, 4);
    tcase_add_test(tc, connecting_over_tls_does_not_shorten_the_attempt);
    return s;
}
