/* SPDX-License-Identifier: MIT */
/*
 * Names are looked up again. First the lookups alone, with time as an argument and a process for each; then
 * the command, with servers that move. The test supplies the resolver: tests/fixtures/resolver.h.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/options/options.h"
#include "redlock/cli/options/verb_table.h"
#include "redlock/cli/output/messages.h"
#include "redlock/cli/servers/connections.h"
#include "redlock/cli/servers/resolve.h"
#include "redlock/cli/servers/resolve_again.h"
#include "redlock/cli/verbs/verbs.h"
#include "redlock/redlock.h"
#include "tests/fixtures/command.h"
#include "tests/fixtures/heard.h"
#include "tests/fixtures/resolver.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

#include <fcntl.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EVERY_MS = 5000, AGAIN_MS = 1000, TIMEOUT_MS = 10000, MANY = 200 };

/* ---------------------------------------------------------------- the lookups alone */

static struct rdl_cli_servers servers;
static uint64_t now = 1000;

static void init(const char *const urls[], int any)
{
    static char copies[RDL_SERVERS_MAX][64];
    struct rdl_cli_options o = {.verb = RDL_CLI_RUN, .password_fd = -1, .any_address = any};

    for (; urls[o.n_urls] != NULL; o.n_urls++) {
        snprintf(copies[o.n_urls], sizeof copies[0], "%s", urls[o.n_urls]);
        o.urls[o.n_urls] = copies[o.n_urls];
    }
    ck_assert_int_eq(rdl_cli_servers_init(&servers, &o), 0);
    for (size_t i = 0; i < o.n_urls; i++) /* no login: an open connection is READY */
        servers.endpoint[i].client_name.len = 0;
    heard_since();
    rdl_cli_lookup_turn(&servers, now);
    now += EVERY_MS;
}

/* a.test to c.test, at 192.0.2.1 to 3. */
static void init_three(void)
{
    resolver_set("a.test", "192.0.2.1", 6379);
    resolver_set("b.test", "192.0.2.2", 6379);
    resolver_set("c.test", "192.0.2.3", 6379);
    init((const char *const[]){"redis://a.test", "redis://b.test", "redis://c.test", NULL}, 0);
}

/* Until the name has been looked up this often. */
static void await_lookups(unsigned times)
{
    const struct timespec pause = {0, 5000000};

    for (int i = 0; i < 4000 && resolver_asked("a.test") < times; i++)
        nanosleep(&pause, NULL);
    ck_assert_uint_ge(resolver_asked("a.test"), times);
}

static void begin(void)
{
    resolver_begin();
    heard_begin();
    rdl_cli_set_verbosity(RDL_CLI_NORMAL);
}

static void end(void)
{
    rdl_cli_lookup_end();
}

static void lose(size_t i)
{
    rdl_conn_closed(&servers.conn[i], RDL_E_CLOSED);
}

/* Regardless of the pause. */
static void open_again(size_t i)
{
    uint64_t at = rdl_conn_tick(&servers.conn[i], now);

    if (rdl_conn_state(&servers.conn[i]) == RDL_CONN_CLOSED)
        rdl_conn_tick(&servers.conn[i], at);
    ck_assert_int_eq(rdl_conn_state(&servers.conn[i]), RDL_CONN_OPENING);
}

static void connect_again(size_t i)
{
    open_again(i);
    rdl_conn_opened(&servers.conn[i]);
    ck_assert_int_eq(rdl_conn_state(&servers.conn[i]), RDL_CONN_READY);
}

static int has_child(void)
{
    siginfo_t info;

    return waitid(P_ALL, 0, &info, WEXITED | WNOWAIT | WNOHANG) == 0;
}

static void await_child(void)
{
    siginfo_t info;

    ck_assert_int_eq(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT), 0);
}

/* All results are taken. */
static void take_results(void)
{
    while (has_child()) {
        await_child();
        rdl_cli_lookup_turn(&servers, now);
    }
}

/* All lookups that are due are made, at least one. */
static void run_lookups(void)
{
    rdl_cli_lookup_turn(&servers, now);
    ck_assert(has_child());
    take_results();
}

static const char *at(size_t i)
{
    static char text[RDL_CLI_ADDRESS_MAX];

    rdl_cli_address_words(servers.conn[i].cfg->endpoint, text);
    return text;
}

START_TEST(a_lost_server_reconnects_at_the_new_address_of_its_name)
{
    init_three();
    resolver_set("b.test", "192.0.2.7", 6379);
    lose(1);
    run_lookups();
    ck_assert_str_eq(at(1), "192.0.2.7");
    ck_assert_str_eq(heard_since(), "redlock: warning: b.test:6379 has moved from 192.0.2.2 to 192.0.2.7\n");
    now += EVERY_MS;
    run_lookups();
    ck_assert_str_eq(heard_since(), "");
    ck_assert_uint_eq(resolver_asked("a.test") + resolver_asked("c.test"), 2);
}
END_TEST

START_TEST(a_name_is_looked_up_every_five_seconds_at_most)
{
    init_three();
    now--; /* it was, at the start */
    lose(0);
    ck_assert_uint_eq(rdl_cli_lookup_turn(&servers, now), now + 1);
    ck_assert(!has_child());
    now++;
    run_lookups();
    for (int i = 0; i < 10; i++) {
        lose(0);
        ck_assert_uint_eq(rdl_cli_lookup_turn(&servers, now), now + EVERY_MS);
        ck_assert(!has_child());
        connect_again(0);
    }
    lose(0);
    now += EVERY_MS - 1;
    rdl_cli_lookup_turn(&servers, now);
    ck_assert(!has_child());
    now++;
    run_lookups();
    ck_assert_uint_eq(resolver_asked("a.test"), 3);
}
END_TEST

/* Nor is a server that is connected, or about to connect for the first time. */
START_TEST(an_address_is_never_looked_up)
{
    static const char *const urls[] = {"redis://192.0.2.1", "redis://[2001:db8::1]", "unix:///nosuch",
                                       "redis://a.test",    "redis://b.test",        NULL};

    resolver_set("a.test", "192.0.2.7", 6379);
    resolver_set("b.test", "192.0.2.8", 6379);
    init(urls, 0);
    for (size_t i = 0; i < 3; i++)
        lose(i);
    open_again(3);
    connect_again(4);
    ck_assert_uint_eq(rdl_cli_lookup_turn(&servers, now), UINT64_MAX);
    ck_assert(!has_child());
}
END_TEST

/* Reported once, until it was connected. */
START_TEST(a_missing_or_ambiguous_address_changes_nothing)
{
    static const char *const message[] = {
        "redlock: warning: a.test:6379 now has no address (Name or service not known): redlock still tries "
        "192.0.2.1\n",
        "redlock: warning: a.test:6379 now has more than one address (192.0.2.1, 192.0.2.9), which may be "
        "different servers: redlock still tries 192.0.2.1\n"};

    init_three();
    if (_i == 0)
        resolver_set("a.test", NULL, 0);
    else
        resolver_add("a.test", "192.0.2.9", 6379);
    for (int times = 0; times < 2; times++) {
        lose(0);
        run_lookups();
        ck_assert_str_eq(heard_since(), message[_i]);
        now += EVERY_MS;
        run_lookups();
        ck_assert_str_eq(heard_since(), "");
        connect_again(0);
        rdl_cli_lookup_turn(&servers, now);
        now += EVERY_MS;
    }
    ck_assert_str_eq(at(0), "192.0.2.1");
}
END_TEST

/* It would have two votes, unless the other server has moved as well. */
START_TEST(a_server_does_not_move_to_an_address_in_use)
{
    init_three();
    resolver_set("a.test", "192.0.2.2", 6379);
    lose(0);
    run_lookups();
    ck_assert_str_eq(at(0), "192.0.2.1");
    ck_assert_str_eq(
        heard_since(),
        "redlock: warning: a.test:6379 now has the address of b.test:6379, and a server has only "
        "one vote: redlock still tries 192.0.2.1\n");
    rdl_cli_lookup_turn(&servers, now);
    ck_assert_str_eq(heard_since(), "");
    resolver_set("b.test", "192.0.2.9", 6379);
    lose(1);
    rdl_cli_lookup_turn(&servers, now);
    take_results();
    ck_assert_str_eq(at(0), "192.0.2.2");
    ck_assert_str_eq(at(1), "192.0.2.9");
}
END_TEST

/* All three move in a circle. If one cannot move, because a fourth has its new address, none may. */
START_TEST(servers_that_swap_addresses_move_together_or_not_at_all)
{
    init_three();
    if (_i == 1) {
        resolver_set("c.test", "192.0.2.4", 6379);
        resolver_set("d.test", "192.0.2.3", 6379);
        init((const char *const[]){"redis://a.test", "redis://b.test", "redis://d.test", "redis://c.test",
                                   NULL},
             0);
    }
    resolver_set("a.test", "192.0.2.2", 6379);
    resolver_set("b.test", "192.0.2.3", 6379);
    if (_i == 0)
        resolver_set("c.test", "192.0.2.1", 6379);
    for (size_t i = 0; i < 3; i++)
        lose(i);
    run_lookups();
    ck_assert_str_eq(at(0), _i == 0 ? "192.0.2.2" : "192.0.2.1");
    ck_assert_str_eq(at(1), _i == 0 ? "192.0.2.3" : "192.0.2.2");
    ck_assert_str_eq(at(2), _i == 0 ? "192.0.2.1" : "192.0.2.3");
}
END_TEST

START_TEST(an_endless_lookup_is_aborted)
{
    init_three();
    resolver_stall("a.test", 1);
    lose(0);
    ck_assert_uint_eq(rdl_cli_lookup_turn(&servers, now), now + TIMEOUT_MS);
    now += TIMEOUT_MS - 1;
    ck_assert_uint_eq(rdl_cli_lookup_turn(&servers, now), now + 1);
    now++;
    rdl_cli_lookup_turn(&servers, now);
    take_results(); /* it was killed */
    ck_assert_str_eq(heard_since(),
                     "redlock: warning: a.test:6379 now has no address (timed out): redlock still tries "
                     "192.0.2.1\n");
    resolver_stall("a.test", 0);
    resolver_set("a.test", "192.0.2.7", 6379);
    now += EVERY_MS;
    run_lookups();
    ck_assert_str_eq(at(0), "192.0.2.7");
}
END_TEST

START_TEST(a_lookup_result_is_ignored_after_reconnecting)
{
    init_three();
    resolver_set("a.test", _i ? "192.0.2.7" : NULL, 6379);
    lose(0);
    rdl_cli_lookup_turn(&servers, now);
    await_child();
    connect_again(0);
    rdl_cli_lookup_turn(&servers, now);
    lose(0);
    rdl_cli_lookup_turn(&servers, now - 1);
    ck_assert_str_eq(at(0), "192.0.2.1");
    ck_assert_str_eq(heard_since(), "");
}
END_TEST

/* It may take as long as connecting may. Its error stays the previous one. */
START_TEST(a_connect_to_the_old_address_is_aborted)
{
    init_three();
    resolver_set("a.test", "192.0.2.7", 6379);
    lose(0);
    open_again(0);
    run_lookups();
    ck_assert_int_ne(rdl_conn_wants(&servers.conn[0]) & RDL_WANT_CLOSE, 0);
    ck_assert_int_eq(rdl_conn_error(&servers.conn[0]), RDL_E_CLOSED);
}
END_TEST

/* It logs in at the old address, and may succeed. */
START_TEST(a_server_moves_only_after_a_pending_login_failed)
{
    resolver_set("a.test", "192.0.2.1", 6379);
    init((const char *const[]){"redis://:secret@a.test", NULL}, 0);
    resolver_set("a.test", "192.0.2.7", 6379);
    lose(0);
    open_again(0);
    rdl_conn_opened(&servers.conn[0]);
    ck_assert_int_eq(rdl_conn_state(&servers.conn[0]), RDL_CONN_HANDSHAKE);
    run_lookups();
    ck_assert_str_eq(at(0), "192.0.2.1");
    lose(0);
    rdl_cli_lookup_turn(&servers, now);
    ck_assert_str_eq(at(0), "192.0.2.7");
}
END_TEST

START_TEST(a_name_is_used_as_soon_as_it_gets_an_address)
{
    resolver_set("a.test", "192.0.2.1", 6379);
    resolver_set("b.test", "192.0.2.2", 6379);
    init((const char *const[]){"redis://a.test", "redis://b.test", "redis://c.test", NULL}, 0);
    rdl_conn_closed(&servers.conn[2], RDL_E_NO_ADDRESS);
    run_lookups();
    ck_assert_str_eq(heard_since(), ""); /* that was reported at the start */
    resolver_set("c.test", "192.0.2.3", 6379);
    now += EVERY_MS;
    run_lookups();
    ck_assert_str_eq(at(2), "192.0.2.3");
    ck_assert_str_eq(heard_since(), "redlock: warning: c.test:6379 now has an address: 192.0.2.3\n");
    connect_again(2);
    rdl_cli_lookup_turn(&servers, now);
    ck_assert_ptr_null(servers.unresolved[2]);
}
END_TEST

/* Its name server did not answer: it is asked again soon, until there is an answer. */
START_TEST(a_failed_lookup_is_repeated_every_second)
{
    resolver_set("a.test", "192.0.2.1", 6379);
    resolver_fail("a.test", 1);
    init((const char *const[]){"redis://a.test", NULL}, 0);
    now -= EVERY_MS;
    rdl_conn_closed(&servers.conn[0], RDL_E_NO_ADDRESS);
    ck_assert_uint_eq(rdl_cli_lookup_turn(&servers, now), now + AGAIN_MS);
    for (unsigned asked = 2; asked < 5; asked++) {
        now += AGAIN_MS;
        run_lookups();
        ck_assert_uint_eq(resolver_asked("a.test"), asked);
        ck_assert_str_eq(heard_since(), "");
    }
    resolver_fail("a.test", 0);
    now += AGAIN_MS;
    run_lookups();
    ck_assert_str_eq(heard_since(), "redlock: warning: a.test:6379 now has an address: 192.0.2.1\n");
}
END_TEST

START_TEST(a_nonexistent_name_is_reported_and_stays_unresolved)
{
    resolver_fail("a.test", 1);
    init((const char *const[]){"redis://a.test", NULL}, 0);
    ck_assert(servers.may_resolve[0]);
    rdl_conn_closed(&servers.conn[0], RDL_E_NO_ADDRESS);
    resolver_fail("a.test", 0);
    run_lookups();
    ck_assert(!servers.may_resolve[0]);
    ck_assert_str_eq(servers.unresolved[0], gai_strerror(EAI_NONAME));
    ck_assert_ptr_nonnull(strstr(heard_since(), "a.test:6379 now has no address ("));
}
END_TEST

/* A resolver lists them in another order each time. */
START_TEST(the_old_address_is_kept_if_no_other_one_answers)
{
    resolver_set("a.test", "127.0.0.5", 1);
    init((const char *const[]){"redis://a.test:1", NULL}, 1);
    resolver_set("a.test", "127.0.0.6", 1);
    resolver_add("a.test", "127.0.0.5", 1);
    lose(0);
    run_lookups();
    ck_assert_str_eq(at(0), "127.0.0.5");
    ck_assert_str_eq(heard_since(), "");
}
END_TEST

START_TEST(the_second_connection_uses_the_new_address_too)
{
    init_three();
    rdl_cli_servers_second(&servers);
    resolver_set("a.test", "192.0.2.7", 6379);
    lose(0);
    run_lookups();
    ck_assert_str_eq(at(servers.n), "192.0.2.7");
}
END_TEST

START_TEST(many_lookups_leave_no_descriptor_and_no_process)
{
    int open = live_count_fds();

    init_three();
    for (int i = 0; i < MANY; i++) {
        resolver_set("a.test", i % 3 == 1 ? NULL : "192.0.2.1", 6379);
        resolver_stall("a.test", i % 3 == 2);
        lose(0);
        rdl_cli_lookup_turn(&servers, now);
        await_lookups((unsigned)i + 2); /* once at the start */
        now += i % 3 == 2 ? TIMEOUT_MS : 0;
        rdl_cli_lookup_turn(&servers, now);
        take_results();
        now += EVERY_MS;
    }
    ck_assert_int_eq(live_count_fds(), open);
    ck_assert(!has_child());
}
END_TEST

/* Otherwise a connection that redlock closes would stay open, and a guardian would not see redlock die. */
START_TEST(a_lookup_process_inherits_no_descriptor)
{
    char byte;
    int fd[2];

    init_three();
    ck_assert_int_eq(pipe(fd), 0);
    resolver_stall("a.test", 1);
    lose(0);
    rdl_cli_lookup_turn(&servers, now);
    await_lookups(2);
    close(fd[1]);
    ck_assert_int_eq(fcntl(fd[0], F_SETFL, O_NONBLOCK), 0);
    ck_assert_int_eq((int)read(fd[0], &byte, 1), 0);
}
END_TEST

START_TEST(no_lookup_process_is_left_at_the_end)
{
    init_three();
    for (size_t i = 0; i < 3; i++)
        lose(i);
    resolver_stall("a.test", 1);
    resolver_stall("b.test", 1);
    rdl_cli_lookup_turn(&servers, now);
    await_child(); /* c.test's */
    rdl_cli_lookup_end();
    while (waitpid(-1, NULL, 0) > 0) /* on a busy machine it takes more than 100 ms to die of SIGKILL */
        continue;
    rdl_cli_lookup_end();
}
END_TEST

/* ---------------------------------------------------------------- the command */

enum { N = 3 };

static struct live_server live[N];
static struct command c;
static char url[N][64], name[32];
static int first; /* of the URLs that are given */

/* As main() does it. */
static int redlock(int argc, char **argv)
{
    static const struct {
        const char *word;
        int (*obey)(int argc, char **argv);
    } verbs[] = {{"run", rdl_cli_run}, {"hold", rdl_cli_hold}, {"acquire", rdl_cli_acquire}};
    int in[2], i = 0;

    if (pipe(in) != 0 || dup2(in[0], STDIN_FILENO) < 0) /* it does not end before the test */
        return 127;
    while (strcmp(argv[1], verbs[i].word) != 0)
        i++;
    int status = verbs[i].obey(argc - 2, argv + 2);
    rdl_cli_lookup_end();
    rdl_cli_flush(RDL_CLI_LAST_WORDS_MS);
    return status;
}

/* The last of three has a name. */
static void setup(void)
{
    resolver_begin();
    first = 0;
    memset(live, 0, sizeof live);
    live_start_all(live, N);
    for (int i = 0; i < N; i++)
        live_url(&live[i], LIVE_V4, url[i], sizeof url[i]);
    snprintf(url[N - 1], sizeof url[0], "redis://a.test:%d", live[N - 1].port);
    snprintf(name, sizeof name, "a.test:%d", live[N - 1].port);
    resolver_set("a.test", "127.0.0.1", live[N - 1].port);
}

static void teardown(void)
{
    live_remove_all(live, N);
}

/* VERB OPTIONS... URLs... nightly, and the rest. */
static void start(const char *verb, const char *const options[], const char *const command[])
{
    memset(&c, 0, sizeof c);
    c.inside = redlock;
    command_add(&c, verb);
    command_add_all(&c, options);
    for (int i = first; i < N; i++)
        command_add_all(&c, (const char *const[]){"-u", url[i], NULL});
    command_add(&c, "nightly");
    command_add_all(&c, command);
    command_start(&c);
}

/* The server is at 127.0.0.2 from now on, and has no data. */
static void move_server(void)
{
    static const char *const args[] = {"--bind", "127.0.0.2", "::1", NULL};

    if (live[N - 1].pid != 0)
        live_kill(&live[N - 1]);
    live[N - 1].args = args;
    live_restart(&live[N - 1]);
    resolver_set("a.test", "127.0.0.2", live[N - 1].port);
}

/* Both addresses are printed, in both formats, once; and the key is there again. */
START_TEST(a_server_that_moves_gets_the_held_lock_again)
{
    static const char *const verbs[] = {"run", "hold"};
    static const char *const script[] = {"-c", "exec sleep 60 9>&-", NULL}, *const none[] = {NULL};
    char message[160], event[160];

    start(verbs[_i], (const char *const[]){"--ttl=8s", "--attempt=2s", "--log=json", "--log-fd=9", NULL},
          _i == 0 ? script : none);
    ck_assert_ptr_nonnull(strstr(command_note(&c), "\"acquired\""));
    move_server();
    snprintf(message, sizeof message, "redlock: warning: %s has moved from 127.0.0.1 to 127.0.0.2\n", name);
    command_await_err(&c, message);
    live_await(&live[N - 1], "EXISTS nightly", ":1");
    kill(c.pid, SIGTERM);
    snprintf(event, sizeof event,
             "\"lock\":\"nightly\",\"where\":\"%s\",\"from\":\"127.0.0.1\",\"to\":\"127.0.0.2\"}", name);
    const char *moved = command_note(&c);
    ck_assert_msg(strncmp(moved, "{\"event\":\"moved\",", 17) == 0 && strstr(moved, event) != NULL, "%s",
                  moved);
    ck_assert_ptr_nonnull(strstr(command_last_note(&c), "\"released\""));
    ck_assert_int_eq(command_end(&c), _i == 0 ? 143 : 0);
    ck_assert_uint_eq(command_count(c.err, " has moved"), 1);
}
END_TEST

/* Its lookup takes longer than the lease, which is renewed meanwhile. */
START_TEST(a_slow_lookup_delays_no_renewal)
{
    start("run",
          (const char *const[]){"--ttl=5s", "--attempt=1250ms", "-vv", "--log=json", "--log-fd=9", NULL},
          (const char *const[]){"-c", "exec sleep 60 9>&-", NULL});
    ck_assert_ptr_nonnull(strstr(command_note(&c), "\"acquired\""));
    resolver_stall("a.test", 1);
    live_kill(&live[N - 1]);
    await_lookups(2);
    while (!command_is_silent(&c))
        command_note(&c);
    for (int i = 0; i < 4; i++) { /* each a third of the ttl after the one before */
        const char *line = command_note(&c);
        ck_assert_msg(strncmp(line, "{\"event\":\"renewed\",", 19) == 0, "%s", line);
    }
    ck_assert_uint_eq(resolver_asked("a.test"), 2);
    ck_assert_ptr_null(strstr(command_err_so_far(&c), "now has no address"));
    kill(c.pid, SIGTERM);
    ck_assert_int_eq(command_end(&c), 143);
}
END_TEST

/* A lock on one server has no other work until then. */
START_TEST(a_name_is_looked_up_even_if_no_renewal_is_due)
{
    first = N - 1;
    start("run",
          (const char *const[]){"--ttl=5m", "--attempt=2s", "--legacy=always", "--log=json", "--log-fd=9",
                                NULL},
          (const char *const[]){"-c", "exec sleep 60 9>&-", NULL});
    ck_assert_ptr_nonnull(strstr(command_note(&c), "\"acquired\""));
    live_kill(&live[N - 1]);
    await_lookups(2);
    kill(c.pid, SIGTERM);
    ck_assert_int_eq(command_end(&c), 143);
}
END_TEST

/* A client that waits for the lock has no server yet: all of them were down. */
START_TEST(a_waiting_run_finds_servers_that_move)
{
    static const char *const verbs[] = {"acquire", "run"};

    live_kill(&live[1]);
    live_kill(&live[2]);
    start(verbs[_i], (const char *const[]){"-w", "30s", NULL},
          (const char *const[]){_i == 1 ? "true" : NULL, NULL});
    await_lookups(1);
    move_server();
    ck_assert_int_eq(command_end(&c), 0);
    assert_has(c.err, " has moved");
}
END_TEST

static const char *const at_work[] = {"true", NULL};

/* The only name server of this host is not up yet, as during boot. */
START_TEST(run_waits_for_a_name_server_that_does_not_answer)
{
    first = N - 1;
    resolver_fail("a.test", 1);
    start("run", (const char *const[]){"-w", "5m", "--attempt=5s", NULL}, at_work);
    await_lookups(3);
    resolver_fail("a.test", 0);
    ck_assert_int_eq(command_end(&c), 0);
    /* Once each; between them is a progress line, if that took longer than a second. */
    char failed[200], works[200];
    snprintf(failed, sizeof failed,
             "redlock: warning: cannot look up %s now (%s): the server counts as down until this works\n",
             name, gai_strerror(EAI_AGAIN));
    snprintf(works, sizeof works, "redlock: warning: %s now has an address: 127.0.0.1\n", name);
    ck_assert_uint_eq(command_count(c.err, "warning: "), 2);
    ck_assert_int_eq(strncmp(c.err, failed, strlen(failed)), 0);
    ck_assert_str_eq(c.err + strlen(c.err) - strlen(works), works);
}
END_TEST

START_TEST(a_name_server_that_never_answers_fails_with_69)
{
    first = N - 1;
    resolver_fail("a.test", 1);
    start("run", (const char *const[]){"-w", "100ms", NULL}, at_work);
    ck_assert_int_eq(command_end(&c), 69);
    assert_has(c.err, " (no name server replied: check /etc/resolv.conf)\n");
    assert_has(c.err, gai_strerror(EAI_AGAIN));
}
END_TEST

/* The wait began before that was known. */
START_TEST(a_name_found_not_to_exist_fails_with_68)
{
    first = N - 1;
    resolver_set("a.test", NULL, 0);
    resolver_fail("a.test", 1);
    start("run", (const char *const[]){"-w", "5m", NULL}, at_work);
    await_lookups(2);
    resolver_fail("a.test", 0);
    ck_assert_int_eq(command_end(&c), 68);
}
END_TEST

static void count_pipes(char out[16])
{
    snprintf(out, 16, "%s", command_note(&c));
    ck_assert_int_eq(command_end(&c), 0);
}

/* A lookup is in progress when the command starts, and when it ends. */
START_TEST(the_command_inherits_no_descriptor_of_a_lookup)
{
    static const char *const script[] = {"-c", "ls -l /proc/self/fd | grep -c pipe: >&9", NULL};
    char without[16], with[16];

    start("run", (const char *const[]){NULL}, script);
    count_pipes(without);
    for (int i = 0; i < N; i++)
        live_command(&live[i], "SET nightly other PX 60000");
    live_kill(&live[N - 1]);
    start("run", (const char *const[]){NULL}, script);
    await_lookups(2);
    resolver_stall("a.test", 1);
    await_lookups(3);
    for (int i = 0; i < N - 1; i++)
        live_command(&live[i], "DEL nightly");
    count_pipes(with);
    ck_assert_str_eq(with, without);
}
END_TEST

/* The suite fails if a process is left. */
START_TEST(a_signal_leaves_no_lookup_process)
{
    for (int i = 0; i < N; i++)
        live_command(&live[i], "SET nightly other PX 60000");
    live_kill(&live[N - 1]);
    start("run", (const char *const[]){NULL}, (const char *const[]){"true", NULL});
    await_lookups(1);
    resolver_stall("a.test", 1);
    await_lookups(2);
    kill(c.pid, _i == 0 ? SIGTERM : SIGKILL);
    ck_assert_int_eq(command_end(&c), _i == 0 ? 143 : 137);
}
END_TEST

/* ---------------------------------------------------------------- suites */

Suite *suite_cli_lookup(void)
{
    Suite *s = suite_create("cli_lookup");
    TCase *t = suite_case(s, "alone", begin, end);
    tcase_add_test(t, a_lost_server_reconnects_at_the_new_address_of_its_name);
    tcase_add_test(t, a_name_is_looked_up_every_five_seconds_at_most);
    tcase_add_test(t, an_address_is_never_looked_up);
    tcase_add_loop_test(t, a_missing_or_ambiguous_address_changes_nothing, 0, 2);
    tcase_add_test(t, a_server_does_not_move_to_an_address_in_use);
    tcase_add_loop_test(t, servers_that_swap_addresses_move_together_or_not_at_all, 0, 2);
    tcase_add_test(t, an_endless_lookup_is_aborted);
    tcase_add_loop_test(t, a_lookup_result_is_ignored_after_reconnecting, 0, 2);
    tcase_add_test(t, a_connect_to_the_old_address_is_aborted);
    tcase_add_test(t, a_server_moves_only_after_a_pending_login_failed);
    tcase_add_test(t, a_name_is_used_as_soon_as_it_gets_an_address);
    tcase_add_test(t, a_failed_lookup_is_repeated_every_second);
    tcase_add_test(t, a_nonexistent_name_is_reported_and_stays_unresolved);
    tcase_add_test(t, the_old_address_is_kept_if_no_other_one_answers);
    tcase_add_test(t, the_second_connection_uses_the_new_address_too);
    tcase_add_test(t, many_lookups_leave_no_descriptor_and_no_process);
    tcase_add_test(t, a_lookup_process_inherits_no_descriptor);
    tcase_add_test(t, no_lookup_process_is_left_at_the_end);
    return s;
}

static Suite *of(const char *title, TCase **t)
{
    Suite *s = suite_create(title);

    *t = suite_case(s, "three servers", setup, teardown);
    return s;
}

Suite *suite_cli_lookup_held(void)
{
    TCase *t;
    Suite *s = of("cli_lookup_held", &t);

    tcase_add_loop_test(t, a_server_that_moves_gets_the_held_lock_again, 0, 2);
    tcase_add_test(t, a_slow_lookup_delays_no_renewal);
    tcase_add_test(t, a_name_is_looked_up_even_if_no_renewal_is_due);
    return s;
}

Suite *suite_cli_lookup_waits(void)
{
    TCase *t;
    Suite *s = of("cli_lookup_waits", &t);

    tcase_add_loop_test(t, a_waiting_run_finds_servers_that_move, 0, 2);
    tcase_add_test(t, run_waits_for_a_name_server_that_does_not_answer);
    tcase_add_test(t, a_name_server_that_never_answers_fails_with_69);
    tcase_add_test(t, a_name_found_not_to_exist_fails_with_68);
    tcase_add_test(t, the_command_inherits_no_descriptor_of_a_lookup);
    tcase_add_loop_test(t, a_signal_leaves_no_lookup_process, 0, 2);
    return s;
}
