/* SPDX-License-Identifier: MIT */
/*
 * The driver over io_uring: what it costs, what only such a driver can get wrong, and where it is refused.
 * `make check-port-uring` has the rules of all drivers, `make check-uring` the other suites over it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lock/lock_op.h"
#include "net/net_stream.h"
#include "net/net_uring.h"
#include "redlock/redlock.h"
#include "tests/fixtures/calls.h"
#include "tests/fixtures/client.h"
#include "tests/fixtures/quorum.h"
#include "tests/fixtures/refused_call.h"
#include "tests/suite.h"

enum { CYCLES = 20, FAR_MS = 20000 };

static struct rdl_uring uring;
static struct rdl_platform platform;
static struct live_server server;
static struct client client;
static char url[256];

static const struct rdl_lock_options opt = {.ttl_ms = 60000, .attempt_ms = 5000};

static void begin(void)
{
    const char *why;

    ck_assert_msg(rdl_uring_init(&uring, &platform, &why) == RDL_OK, "%s", why);
    ck_assert_ptr_null(why);
}

static void setup(void)
{
    client_setup();
    begin();
    live_start(&server);
    client_init(&client, live_url(&server, LIVE_V4, url, sizeof url));
}

static void teardown(void)
{
    rdl_uring_close(&uring, &client.conn);
    rdl_uring_end(&uring);
    live_remove(&server);
}

static int poll_it(uint64_t until_ms, unsigned flags)
{
    struct rdl_conn *conns[] = {&client.conn};

    return platform.poll(platform.ctx, conns, 1, until_ms, flags);
}

/* Nothing ends this poll before its deadline. */
static void poll_lasts(unsigned flags)
{
    uint64_t until_ms = client_now() + 20;

    ck_assert_int_eq(poll_it(until_ms, flags), RDL_OK);
    ck_assert_uint_ge(client_now(), until_ms);
}

/* Without the ring's descriptor no request is taken. Returns a copy of it. */
static int lose_ring(void)
{
    int saved = dup(uring.fd);

    ck_assert_int_eq(close(uring.fd), 0);
    return saved;
}

static void restore_ring(int saved)
{
    ck_assert_int_eq(dup2(saved, uring.fd), uring.fd);
    close(saved);
}

/* ---------------------------------------------------------------- where it is refused */

/* The errors of io_uring_setup, and a word of the reason. */
static const struct {
    unsigned call, err;
    const char *word;
} refusals[] = {
    {SYS_io_uring_setup, ENOSYS, "seccomp"},        {SYS_io_uring_setup, EINVAL, "Linux 6.1"},
    {SYS_io_uring_setup, ENOMEM, "RLIMIT_MEMLOCK"}, {SYS_io_uring_setup, EMFILE, "descriptor"},
    {SYS_io_uring_setup, ENFILE, "descriptor"},     {SYS_io_uring_setup, EACCES, "io_uring"},
    {SYS_io_uring_setup, EFAULT, "does not work"},  {SYS_madvise, EINVAL, "Linux 6.1"},
    {SYS_io_uring_enter, 0, "does not work"},
#ifndef __SANITIZE_ADDRESS__ /* which needs mmap itself */
    {SYS_mmap, ENOMEM, "RLIMIT_MEMLOCK"},
#endif
};
enum { REFUSALS = sizeof refusals / sizeof refusals[0] };

static void is_refused(const char *word)
{
    struct rdl_platform untouched = {NULL, NULL, NULL, NULL};
    const char *why = NULL;

    ck_assert_int_eq(rdl_uring_init(&uring, &untouched, &why), RDL_E_SYSTEM);
    ck_assert_ptr_null((void *)untouched.ctx);
    ck_assert_ptr_nonnull(why);
    ck_assert_msg(strstr(why, word) != NULL, "not '%s' but: %s", word, why);
    ck_assert_int_eq(rdl_uring_init(&uring, &untouched, NULL), RDL_E_SYSTEM);
    rdl_uring_end(&uring);
    rdl_uring_end(&uring);
}

START_TEST(a_refusal_is_reported_in_words)
{
    refuse_call(refusals[_i].call, refusals[_i].err);
    is_refused(refusals[_i].word);
}
END_TEST

START_TEST(a_forbidden_ring_names_the_setting_and_the_sandbox)
{
    int fds;

    refuse_call(SYS_io_uring_setup, EPERM);
    fds = live_count_fds();
    is_refused("kernel.io_uring_disabled, or a container's seccomp profile");
    ck_assert_int_eq(live_count_fds(), fds);
}
END_TEST

/* It works as before with the driver that then takes its place, and nothing of the other is in its way. */
START_TEST(after_a_refusal_the_driver_for_sockets_takes_its_place)
{
    struct rdl_posix posix;
    struct rdl_lock lock;

    refuse_call(SYS_io_uring_setup, EPERM);
    ck_assert_int_eq(rdl_uring_init(&uring, &platform, NULL), RDL_E_SYSTEM);
    rdl_posix_init(&posix, &platform);
    unsetenv("RDL_DRIVER"); /* client_setup() would need a ring */
    client_setup();
    live_start(&server);
    client_init(&client, live_url(&server, LIVE_V4, url, sizeof url));
    rdl_lock_init(&lock, &opt, &client.conn, RDL_NAME("nightly"));
    ck_assert_int_eq(rdl_lock_acquire(&lock, &platform), RDL_OK);
    ck_assert_int_eq(rdl_lock_release(&lock, &platform), RDL_OK);
    rdl_uring_close(&uring, &client.conn); /* a program need not know which of the two it is */
    ck_assert_int_eq(rdl_posix_fd(&client.conn), -1);
    live_remove(&server);
}
END_TEST

/* A sandbox may let the first call through, and refuse the one that each poll makes. */
START_TEST(a_ring_that_cannot_be_entered_is_refused)
{
    refuse_call(SYS_io_uring_enter, EPERM);
    is_refused("io_uring");
}
END_TEST

/* 64 requests of 64 bytes. */
START_TEST(a_ring_that_cannot_be_mapped_is_refused)
{
    refuse_call_with(SYS_mmap, 1, 4096, ENOMEM);
    is_refused("RLIMIT_MEMLOCK");
}
END_TEST

START_TEST(no_descriptor_for_the_ring_is_a_refusal)
{
    struct rlimit none = {3, 3};

    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
    is_refused("descriptor");
}
END_TEST

START_TEST(an_ended_driver_does_not_poll)
{
    begin();
    rdl_uring_end(&uring);
    ck_assert_int_eq(platform.poll(platform.ctx, NULL, 0, 0, 0), RDL_E_SYSTEM);
}
END_TEST

START_TEST(ending_a_driver_twice_does_no_harm)
{
    ck_assert_int_eq(dup2(1, 0), 0);
    begin();
    rdl_uring_end(&uring);
    rdl_uring_end(&uring);
    ck_assert_int_ne(fcntl(0, F_GETFD), -1); /* it was never the driver's */
}
END_TEST

/* Which is the next one in a program that closed its standard input. */
START_TEST(a_ring_is_not_descriptor_0)
{
    struct rlimit limit;

    close(0);
    begin();
    ck_assert_int_ge(uring.fd, 3);
    ck_assert_int_eq(fcntl(uring.fd, F_GETFD), FD_CLOEXEC);
    ck_assert_int_eq(fcntl(0, F_GETFD), -1);
    ck_assert_int_eq(platform.poll(platform.ctx, NULL, 0, 1, 0), RDL_OK);
    rdl_uring_end(&uring);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = 3;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    is_refused("descriptor");
    ck_assert_int_eq(fcntl(0, F_GETFD), -1);
}
END_TEST

/* ---------------------------------------------------------------- what it costs */

static void one_server(void)
{
    struct rdl_lock lock;

    begin();
    rdl_lock_init(&lock, &opt, &client.conn, RDL_NAME("nightly"));
    for (int i = 0; i < CYCLES; i++) {
        if (i == 1) /* the first one has connected */
            calls_mark();
        if (rdl_lock_acquire(&lock, &platform) != RDL_OK || rdl_lock_release(&lock, &platform) != RDL_OK)
            _exit(1);
        if (i > 0)
            calls_mark();
    }
}

/*
 * A random number for each acquire, never from a stock; then the two requests, one call for each. A busy
 * machine may wait for more than one slice, or let 20 ms pass, after which a call polls first.
 */
START_TEST(a_cycle_on_one_server_makes_two_calls_and_a_random_number)
{
    int is_random_a_call = calls_for_random();
    const char *cycle = is_random_a_call ? "|guu|" : "|uu|";
    const char *at = calls_of(one_server);

    at = strchr(at, '|');
    ck_assert_ptr_nonnull(at);
    ck_assert_msg(strstr(at, cycle) != NULL && strspn(at, cycle) == strlen(at), "%s", at);
    ck_assert(!is_random_a_call || calls_count(at, 'g') == CYCLES - 1);
}
END_TEST

/* ---------------------------------------------------------------- how many replies it waits for */

enum { PEERS = 3, STEP_MS = 30 };

static struct client peers[PEERS];
static struct rdl_conn *conns[PEERS];
static int ends[PEERS];

/* Connects a client to this process. Returns the other end. */
static int meet_peer(struct client *k)
{
    int fds[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    client_init(k, "redis://127.0.0.1:1");
    rdl_conn_tick(&k->conn, client_now());
    rdl_posix_opened(&k->conn, fds[0]);
    ck_assert_int_eq(rdl_conn_state(&k->conn), RDL_CONN_READY);
    return fds[1];
}

static void meet_peers(void)
{
    for (int i = 0; i < PEERS; i++) {
        ends[i] = meet_peer(&peers[i]);
        conns[i] = &peers[i].conn;
        client_submit(&peers[i], &rdl_op_acquire, "a");
    }
}

static size_t answered(void)
{
    size_t n = 0;

    for (int i = 0; i < PEERS; i++)
        n += peers[i].req.answer == RDL_ANSWER_YES;
    return n;
}

/* The last peer is the first that answers, and none answers before it was asked. */
START_TEST(every_conn_sends_before_the_call_waits)
{
    char byte;

    client_setup();
    begin();
    meet_peers();
    if (live_fork() == 0) {
        for (int i = PEERS - 1; i >= 0; i--)
            if (read(ends[i], &byte, 1) != 1 || write(ends[i], "+OK\r\n", 5) != 5)
                _exit(1);
        pause();
    }
    while (answered() < PEERS)
        ck_assert_int_eq(platform.poll(platform.ctx, conns, PEERS, client_now() + FAR_MS, 0), RDL_OK);
}
END_TEST

START_TEST(a_poll_that_must_not_wait_takes_what_has_arrived)
{
    client_setup();
    begin();
    meet_peers();
    ck_assert_int_eq(platform.poll(platform.ctx, conns, PEERS, 0, 0), RDL_OK);
    ck_assert_uint_eq(answered(), 0);
    ck_assert_int_eq(write(ends[0], "+OK\r\n", 5), 5);
    ck_assert_int_eq(platform.poll(platform.ctx, conns, PEERS, 0, 0), RDL_OK);
    ck_assert_uint_eq(answered(), 1);
}
END_TEST

/* Three are needed, and only one of them can say anything: a wait for three would not end. */
START_TEST(no_more_replies_are_waited_for_than_can_arrive)
{
    client_setup();
    begin();
    meet_peers();
    for (int i = 1; i < PEERS; i++)
        rdl_uring_close(&uring, conns[i]);
    ck_assert_int_eq(write(ends[0], "+OK\r\n", 5), 5);
    ck_assert_int_eq(platform.poll(platform.ctx, conns, PEERS, UINT64_MAX, 0), RDL_OK);
    ck_assert_uint_eq(answered(), 1);
}
END_TEST

/* A wake-up is a single event, and ends a wait for three. */
START_TEST(a_wake_up_ends_a_wait_for_several_replies)
{
    int fds[2];

    client_setup();
    begin();
    meet_peers();
    ck_assert_int_eq(pipe(fds), 0);
    uring.wake_fd = fds[0];
    if (live_fork() == 0) {
        usleep(STEP_MS * 1000);
        _exit(write(fds[1], "x", 1) == 1 ? 0 : 1);
    }
    ck_assert_int_eq(platform.poll(platform.ctx, conns, PEERS, UINT64_MAX, RDL_POLL_CAN_WAKE),
                     RDL_E_INTERRUPTED);
}
END_TEST

/* ---------------------------------------------------------------- waiting */

/* In slices of the time that is left, as the driver for sockets waits. */
START_TEST(waits_end_in_time)
{
    struct rdl_lock lock;
    uint64_t until_ms;

    rdl_lock_init(&lock, &opt, &client.conn, RDL_NAME("nightly"));
    ck_assert_int_eq(rdl_lock_acquire(&lock, &platform), RDL_OK);
    until_ms = client_now() + 150;
    ck_assert_int_eq(poll_it(until_ms, 0), RDL_OK);
    ck_assert_uint_ge(client_now(), until_ms);
    ck_assert_int_eq(poll_it(1, 0), RDL_OK); /* long ago */
    ck_assert_int_eq(rdl_lock_release(&lock, &platform), RDL_OK);
}
END_TEST

/* It became readable between two polls, and the program has read it: the kernel's answer is old. */
START_TEST(a_wake_up_that_was_read_meanwhile_ends_no_poll)
{
    char byte;
    int fds[2];

    ck_assert_int_eq(pipe(fds), 0);
    uring.wake_fd = fds[0];
    ck_assert_int_eq(poll_it(client_now() + 20, RDL_POLL_CAN_WAKE), RDL_OK);
    ck_assert_int_eq(write(fds[1], "x", 1), 1);
    ck_assert_int_eq(read(fds[0], &byte, 1), 1);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(poll_it(client_now() + 20, RDL_POLL_CAN_WAKE), RDL_OK);
    ck_assert_int_eq(poll_it(0, RDL_POLL_CAN_WAKE), RDL_OK);
    ck_assert_int_eq(write(fds[1], "x", 1), 1);
    ck_assert_int_eq(poll_it(UINT64_MAX, RDL_POLL_CAN_WAKE), RDL_E_INTERRUPTED);
}
END_TEST

START_TEST(another_wake_fd_takes_the_place_of_the_first)
{
    int first[2], second[2];

    ck_assert_int_eq(pipe(first), 0);
    ck_assert_int_eq(pipe(second), 0);
    uring.wake_fd = first[0];
    ck_assert_int_eq(poll_it(client_now() + 20, RDL_POLL_CAN_WAKE), RDL_OK);
    uring.wake_fd = second[0];
    ck_assert_int_eq(poll_it(client_now() + 20, RDL_POLL_CAN_WAKE), RDL_OK);
    ck_assert_int_eq(write(first[1], "x", 1), 1);
    poll_lasts(RDL_POLL_CAN_WAKE);
    ck_assert_int_eq(write(second[1], "x", 1), 1);
    ck_assert_int_eq(poll_it(UINT64_MAX, RDL_POLL_CAN_WAKE), RDL_E_INTERRUPTED);
}
END_TEST

/* ---------------------------------------------------------------- connections */

enum { MOST = RDL_URING_CONNS_MAX };

static struct client many[MOST + 1];
static struct rdl_conn *all[MOST + 1];

static void connect_many(int from, int n)
{
    uint64_t end_ms = client_now() + FAR_MS;
    int open = 0;

    for (int i = from; i < from + n; i++) {
        client_init(&many[i], url);
        all[i] = &many[i].conn;
    }
    while (open < n) {
        ck_assert_uint_lt(client_now(), end_ms);
        open = 0;
        for (int i = from; i < from + n; i++) {
            rdl_conn_tick(all[i], client_now());
            open += rdl_conn_state(all[i]) == RDL_CONN_READY;
        }
        ck_assert_int_eq(platform.poll(platform.ctx, all + from, (size_t)n, client_now() + 20, 0), RDL_OK);
    }
}

START_TEST(a_conn_too_many_is_refused_until_another_is_closed)
{
    connect_many(0, MOST);
    client_init(&many[MOST], url);
    all[MOST] = &many[MOST].conn;
    rdl_conn_tick(all[MOST], client_now());
    ck_assert_int_eq(platform.poll(platform.ctx, all + MOST, 1, 0, 0), RDL_OK);
    ck_assert_int_eq(rdl_conn_error(all[MOST]), RDL_E_SYSTEM);
    ck_assert_int_eq(rdl_posix_errno(all[MOST]), EMFILE);
    rdl_uring_close(&uring, all[0]);
    connect_many(MOST, 1);
    ck_assert_int_eq(platform.poll(platform.ctx, all, MOST + 1, 0, 0), RDL_E_SYSTEM); /* in one poll */
}
END_TEST

/*
 * Connects n conns to this process. Each sends a command, which takes two requests to the kernel: to send and
 * to receive. The silent one (-1: none) only receives.
 */
static void meet_many(int n, int silent, int far[])
{
    for (int i = 0; i < n; i++) {
        far[i] = meet_peer(&many[i]);
        all[i] = &many[i].conn;
        if (i != silent)
            client_submit(&many[i], &rdl_op_acquire, "a");
    }
}

/* It holds 64 requests. To watch a descriptor takes one more, or two if it replaces another descriptor. */
START_TEST(a_full_queue_loses_no_request_and_no_reply)
{
    static const struct {
        int n, silent;
    } cases[] = {{32, -1}, {32, 1}, {33, 1}}; /* 64, 63 and 65 requests */
    const int n = cases[_i / 2].n, silent = cases[_i / 2].silent;
    int far[MOST], first[2], second[2];

    client_setup();
    begin();
    ck_assert_int_eq(pipe(first) | pipe(second), 0);
    if (_i % 2 != 0) {
        uring.wake_fd = first[0];
        ck_assert_int_eq(platform.poll(platform.ctx, NULL, 0, client_now() + 20, RDL_POLL_CAN_WAKE), RDL_OK);
    }
    uring.wake_fd = second[0];
    meet_many(n, silent, far);
    for (int i = 0; i < n; i++) { /* the first reply arrives before the first poll */
        if (i == silent)
            continue;
        ck_assert_int_eq(write(far[i], "+OK\r\n", 5), 5);
        while (many[i].req.answer == RDL_ANSWER_NONE)
            ck_assert_int_eq(platform.poll(platform.ctx, all, (size_t)n, UINT64_MAX, RDL_POLL_CAN_WAKE),
                             RDL_OK);
    }
    ck_assert_int_eq(write(second[1], "x", 1), 1);
    ck_assert_int_eq(platform.poll(platform.ctx, all, (size_t)n, UINT64_MAX, RDL_POLL_CAN_WAKE),
                     RDL_E_INTERRUPTED);
}
END_TEST

/* The bytes of a reply arrive after the conn was closed and freed: they are written nowhere. */
START_TEST(a_closed_conn_may_be_freed_while_its_server_replies)
{
    struct client *k = calloc(1, sizeof *k);
    struct rdl_conn *one[] = {&k->conn};

    ck_assert_ptr_nonnull(k);
    client_init(k, url);
    while (rdl_conn_state(&k->conn) != RDL_CONN_READY) {
        rdl_conn_tick(&k->conn, client_now());
        ck_assert_int_eq(platform.poll(platform.ctx, one, 1, client_now() + 20, 0), RDL_OK);
    }
    live_freeze(&server);
    client_submit(k, &rdl_op_acquire, "a");
    ck_assert_int_eq(platform.poll(platform.ctx, one, 1, client_now() + 20, 0), RDL_OK);
    rdl_uring_close(&uring, &k->conn);
    ck_assert_int_eq(k->req.answer, RDL_ANSWER_UNKNOWN);
    free(k);
    live_thaw(&server);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(platform.poll(platform.ctx, NULL, 0, client_now() + 20, 0), RDL_OK);
    rdl_uring_close(&uring, &client.conn); /* one that was never open */
    ck_assert_int_eq(rdl_posix_fd(&client.conn), -1);
}
END_TEST

/* The driver is gone, and the conn is still connected: no request of the kernel is left. */
START_TEST(an_ended_driver_leaves_no_request)
{
    connect_many(0, 2);
    ck_assert_int_eq(platform.poll(platform.ctx, all, 2, client_now() + 20, 0), RDL_OK);
    rdl_uring_end(&uring);
    live_command(&server, "CLIENT KILL TYPE normal SKIPME yes");
    begin();
    for (int i = 0; i < 2; i++) {
        rdl_posix_close(all[i]);
        client_init(&many[i], url);
    }
    connect_many(0, 2);
    for (int i = 0; i < 2; i++)
        rdl_uring_close(&uring, all[i]);
}
END_TEST

/* The kernel takes no requests: the call fails, they were never made, and nothing waits for them. */
START_TEST(requests_that_the_kernel_does_not_take_are_an_error)
{
    struct client opening;
    struct rdl_conn *both[] = {&client.conn, &opening.conn};
    int fds[2];

    client_meet(&opening, FAKE_BLACK_HOLE, NULL, 0, 0);
    connect_many(0, 1);
    ck_assert_int_eq(platform.poll(platform.ctx, all, 1, client_now() + 20, 0), RDL_OK);
    while (rdl_conn_state(&client.conn) != RDL_CONN_READY) {
        rdl_conn_tick(&client.conn, client_now());
        ck_assert_int_eq(poll_it(client_now() + 20, 0), RDL_OK);
    }
    ck_assert_int_eq(pipe(fds), 0);
    uring.wake_fd = fds[0];
    refuse_call(SYS_io_uring_enter, EAGAIN);
    client_submit(&client, &rdl_op_acquire, "a");
    rdl_conn_tick(&opening.conn, client_now());
    ck_assert_int_eq(platform.poll(platform.ctx, both, 2, client_now() + 20, RDL_POLL_CAN_WAKE),
                     RDL_E_SYSTEM);
    ck_assert_int_eq(client.req.answer, RDL_ANSWER_NONE);
    rdl_uring_close(&uring, all[0]); /* its request for bytes stays, and so does the driver's memory */
    rdl_uring_end(&uring);
    client_part();
}
END_TEST

/* A stream on top of sockets, that has no room for a while: it is waited for with other events. */
static int has_room;

static int plug_open(void *ctx, struct rdl_conn *c)
{
    return rdl_posix_stream.open(ctx, c);
}

static int plug_send(void *ctx, struct rdl_conn *c, const uint8_t *bytes, size_t len)
{
    return has_room ? rdl_posix_stream.send(ctx, c, bytes, len) : 0;
}

static int plug_recv(void *ctx, struct rdl_conn *c, uint8_t *buf, size_t cap)
{
    return rdl_posix_stream.recv(ctx, c, buf, cap);
}

static void plug_close(void *ctx, struct rdl_conn *c)
{
    rdl_posix_stream.close(ctx, c);
}

static const struct rdl_stream_ops plug = {plug_open, plug_send, plug_recv, plug_close};

START_TEST(a_stream_is_waited_for_with_the_events_that_it_needs)
{
    client.cfg.stream = &plug;
    has_room = 0;
    while (rdl_conn_state(&client.conn) != RDL_CONN_READY) {
        rdl_conn_tick(&client.conn, client_now());
        ck_assert_int_eq(poll_it(client_now() + 20, 0), RDL_OK);
    }
    for (int i = 0; i < 2; i++) /* for bytes */
        poll_lasts(0);
    client_submit(&client, &rdl_op_acquire, "a");
    for (int i = 0; i < 3; i++) /* for room, too */
        ck_assert_int_eq(poll_it(client_now() + 20, 0), RDL_OK);
    has_room = 1;
    while (client.req.answer == RDL_ANSWER_NONE)
        ck_assert_int_eq(poll_it(client_now() + FAR_MS, 0), RDL_OK);
    ck_assert_int_eq(client.req.answer, RDL_ANSWER_YES);
    client_submit(&client, &rdl_op_acquire, "b");
    ck_assert_int_eq(poll_it(client_now() + FAR_MS, 0), RDL_OK); /* it sends, and waits for the reply */
    ck_assert_int_eq(client.req.answer, RDL_ANSWER_YES);
}
END_TEST

/* Connects the client, and makes a request of it that is answered: none is under way then. */
static void open_and_ask(void)
{
    client_submit(&client, &rdl_op_acquire, "a");
    for (int polls = 0; client.req.answer == RDL_ANSWER_NONE; polls++) {
        ck_assert_int_lt(polls, 1000);
        rdl_conn_tick(&client.conn, client_now());
        ck_assert_int_eq(poll_it(client_now() + FAR_MS, 0), RDL_OK);
    }
    ck_assert_int_eq(client.req.answer, RDL_ANSWER_YES);
}

START_TEST(the_errno_of_a_failed_send_over_the_ring_is_kept)
{
    open_and_ask();
    ck_assert_int_eq(shutdown(rdl_posix_fd(&client.conn), SHUT_WR), 0);
    client_submit(&client, &rdl_op_extend, "a");
    while (client.req.answer == RDL_ANSWER_NONE)
        ck_assert_int_eq(poll_it(client_now() + FAR_MS, 0), RDL_OK);
    ck_assert_int_eq(client.req.answer, RDL_ANSWER_UNKNOWN);
    ck_assert_int_eq(rdl_conn_error(&client.conn), RDL_E_CLOSED);
    ck_assert_int_eq(rdl_posix_errno(&client.conn), EPIPE);
}
END_TEST

/* The ring's descriptor is missing for one poll. Each kind of request is made again by the next one. */
START_TEST(requests_that_were_not_taken_are_made_by_the_next_poll)
{
    int fds[2], saved;

    has_room = 1;
    client.cfg.stream = _i == 0 ? NULL : &plug;
    open_and_ask();
    ck_assert_int_eq(pipe(fds), 0);
    uring.wake_fd = fds[0];
    saved = lose_ring();
    client_submit(&client, &rdl_op_acquire, "b");
    ck_assert_int_eq(poll_it(client_now() + FAR_MS, RDL_POLL_CAN_WAKE), RDL_E_SYSTEM);
    ck_assert_int_eq(client.req.answer, RDL_ANSWER_NONE);
    restore_ring(saved);
    for (int polls = 0; polls < 3 && client.req.answer == RDL_ANSWER_NONE; polls++)
        ck_assert_int_eq(poll_it(client_now() + FAR_MS, RDL_POLL_CAN_WAKE), RDL_OK);
    ck_assert_int_eq(client.req.answer, RDL_ANSWER_YES);
    ck_assert_int_eq(write(fds[1], "x", 1), 1);
    ck_assert_int_eq(poll_it(UINT64_MAX, RDL_POLL_CAN_WAKE), RDL_E_INTERRUPTED);
}
END_TEST

/* Otherwise closing the conn would still send it. */
START_TEST(a_request_that_was_not_taken_is_not_made_after_its_conn_is_closed)
{
    int saved;

    open_and_ask();
    ck_assert_int_eq(poll_it(client_now() + 20, 0), RDL_OK); /* a request for bytes is under way */
    saved = lose_ring();
    client_submit(&client, &rdl_op_acquire, "b");
    ck_assert_int_eq(poll_it(client_now() + FAR_MS, 0), RDL_E_SYSTEM);
    restore_ring(saved);
    rdl_uring_close(&uring, &client.conn);
    ck_assert_str_eq(live_command(&server, "EXISTS b"), ":0\r\n");
}
END_TEST

/* Each server in turn refuses the script of a release, so its conn sends other commands. */
START_TEST(what_a_reply_makes_a_conn_send_is_sent_by_the_same_poll)
{
    static const char refusal[] = "-ERR unknown command\r\n";
    char bytes[512];

    client_setup();
    begin();
    meet_peers();
    for (int i = 0; i < PEERS; i++) {
        ck_assert_int_eq(write(ends[i], "+OK\r\n:60000\r\n", 13), 13);
        while (peers[i].req.answer == RDL_ANSWER_NONE)
            ck_assert_int_eq(platform.poll(platform.ctx, conns, PEERS, client_now() + FAR_MS, 0), RDL_OK);
        client_submit(&peers[i], &rdl_op_release, "a");
    }
    for (int i = 0; i < 2; i++) /* the rest of the replies, too */
        ck_assert_int_eq(platform.poll(platform.ctx, conns, PEERS, 0, 0), RDL_OK);
    for (int i = 0; i < PEERS; i++) {
        ck_assert_int_gt(recv(ends[i], bytes, sizeof bytes, MSG_DONTWAIT), 0);
        ck_assert_int_eq(write(ends[i], refusal, sizeof refusal - 1), sizeof refusal - 1);
        ck_assert_int_eq(platform.poll(platform.ctx, conns, PEERS, client_now() + FAR_MS, 0), RDL_OK);
        ck_assert_int_gt(recv(ends[i], bytes, sizeof bytes, MSG_DONTWAIT), 0);
    }
}
END_TEST

/* The kernel writes a reply to memory of the driver, and reads a request from other memory. */
START_TEST(a_reply_that_arrives_changes_no_request_that_waits_for_room)
{
    struct rdl_req second = {0};
    const struct rdl_command cmd = {&rdl_op_acquire, {"b", 1},   {peers[0].token, RDL_VALUE_MAX},
                                    {NULL, 0},       UINT64_MAX, 60000};
    char first[512] = "", filler[4096] = "", bytes[sizeof filler];
    ssize_t len, n;

    client_setup();
    begin();
    meet_peers();
    ck_assert_int_eq(platform.poll(platform.ctx, conns, 1, 0, 0), RDL_OK);
    len = read(ends[0], first, sizeof first - 1);
    ck_assert_int_gt(len, 0);
    while (send(rdl_posix_fd(conns[0]), filler, sizeof filler, MSG_DONTWAIT) > 0) {
    }
    ck_assert_int_eq(rdl_conn_submit(conns[0], &second, &cmd), RDL_OK);
    ck_assert_int_eq(platform.poll(platform.ctx, conns, 1, 0, 0), RDL_OK);
    ck_assert_int_eq(write(ends[0], "+OK\r\n", 5), 5);
    ck_assert_int_eq(platform.poll(platform.ctx, conns, 1, client_now() + FAR_MS, 0), RDL_OK);
    ck_assert_int_eq(peers[0].req.answer, RDL_ANSWER_YES);
    while (recv(ends[0], bytes, sizeof bytes, MSG_DONTWAIT) > 0) {
    }
    ck_assert_int_eq(platform.poll(platform.ctx, conns, 1, client_now() + FAR_MS, 0), RDL_OK);
    n = recv(ends[0], bytes, sizeof bytes, MSG_DONTWAIT);
    for (char *key = first; (key = strstr(key, "\r\na\r\n")) != NULL;)
        key[2] = 'b';
    ck_assert_int_eq(n, len);
    ck_assert_mem_eq(bytes, first, (size_t)len);
}
END_TEST

/* ---------------------------------------------------------------- fork and threads */

static struct rdl_lock lock;

/* In a child: its parent's driver, then its own. */
static int child_has_its_own(void)
{
    struct rdl_lock mine;

    rdl_lock_init(&mine, &opt, &client.conn, RDL_NAME("mine"));
    if (rdl_lock_acquire(&mine, &platform) != RDL_E_FORKED || rdl_posix_fd(&client.conn) >= 0)
        return 0;
    rdl_uring_close(&uring, &client.conn);
    rdl_uring_end(&uring);
    if (rdl_uring_init(&uring, &platform, NULL) != RDL_OK)
        return 0;
    client_init(&client, url);
    rdl_lock_init(&mine, &opt, &client.conn, RDL_NAME("mine"));
    return rdl_lock_acquire(&mine, &platform) == RDL_OK && rdl_lock_release(&mine, &platform) == RDL_OK;
}

/* Its own driver, but the connection of its parent. */
static int child_has_its_parents_conn(void)
{
    struct rdl_lock mine;

    rdl_uring_end(&uring);
    if (rdl_uring_init(&uring, &platform, NULL) != RDL_OK)
        return 0;
    rdl_lock_init(&mine, &opt, &client.conn, RDL_NAME("mine"));
    (void)rdl_lock_acquire(&mine, &platform);
    return rdl_conn_error(&client.conn) == RDL_E_FORKED && rdl_posix_fd(&client.conn) < 0;
}

START_TEST(a_child_needs_a_driver_and_conns_of_its_own)
{
    int (*const claims[])(void) = {child_has_its_own, child_has_its_parents_conn};
    int status = 0, fd;

    rdl_lock_init(&lock, &opt, &client.conn, RDL_NAME("nightly"));
    ck_assert_int_eq(rdl_lock_acquire(&lock, &platform), RDL_OK);
    ck_assert_int_eq(poll_it(client_now() + 20, 0), RDL_OK); /* a request for bytes is under way */
    fd = rdl_posix_fd(&client.conn);
    for (int i = 0; i < 2; i++) {
        pid_t pid = live_fork();
        if (pid == 0)
            _exit(claims[i]() ? 0 : 1);
        ck_assert_int_eq(waitpid(pid, &status, 0), pid);
        ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "claim %d", i);
    }
    ck_assert_int_eq(rdl_lock_extend(&lock, &platform, 60000), RDL_OK);
    ck_assert_int_eq(rdl_posix_fd(&client.conn), fd);
    ck_assert_int_eq(rdl_lock_release(&lock, &platform), RDL_OK);
    ck_assert_str_eq(live_command(&server, "DBSIZE"), ":0\r\n");
}
END_TEST

static void *poll_elsewhere(void *result)
{
    *(int *)result = platform.poll(platform.ctx, NULL, 0, client_now() + 20, 0);
    return NULL;
}

START_TEST(another_thread_cannot_poll)
{
    pthread_t thread;
    int rc = RDL_OK;

    ck_assert_int_eq(pthread_create(&thread, NULL, poll_elsewhere, &rc), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_int_eq(rc, RDL_E_SYSTEM);
}
END_TEST

/* Where io_uring is refused, that is what can be tested. */
static void add_refusals(Suite *suite)
{
    TCase *tc = suite_case(suite, "refused", NULL, NULL);

    tcase_add_loop_test(tc, a_refusal_is_reported_in_words, 0, REFUSALS);
    tcase_add_test(tc, a_forbidden_ring_names_the_setting_and_the_sandbox);
    tcase_add_test(tc, after_a_refusal_the_driver_for_sockets_takes_its_place);
}

Suite *suite_net_uring(void)
{
    Suite *suite = suite_create("net_uring");
    TCase *alone = suite_case(suite, "alone", NULL, NULL);
    TCase *tc = suite_case(suite, "uring", setup, teardown);
    const char *why;
    int rc = rdl_uring_init(&uring, &platform, &why);

    add_refusals(suite);
    if (rc != RDL_OK) {
        fprintf(stderr, "net_uring: NOT CHECKED: %s. Only the refusals are.\n", why);
        if (client_is_uring())
            exit(1);
        return suite;
    }
    rdl_uring_end(&uring);
    tcase_add_test(alone, a_ring_that_cannot_be_entered_is_refused);
    tcase_add_test(alone, a_ring_that_cannot_be_mapped_is_refused);
    tcase_add_test(alone, no_descriptor_for_the_ring_is_a_refusal);
    tcase_add_test(alone, an_ended_driver_does_not_poll);
    tcase_add_test(alone, every_conn_sends_before_the_call_waits);
    tcase_add_test(alone, a_poll_that_must_not_wait_takes_what_has_arrived);
    tcase_add_test(alone, no_more_replies_are_waited_for_than_can_arrive);
    tcase_add_test(alone, a_wake_up_ends_a_wait_for_several_replies);
    tcase_add_test(alone, a_reply_that_arrives_changes_no_request_that_waits_for_room);
    tcase_add_test(alone, what_a_reply_makes_a_conn_send_is_sent_by_the_same_poll);
    tcase_add_test(alone, ending_a_driver_twice_does_no_harm);
    tcase_add_test(alone, a_ring_is_not_descriptor_0);
    tcase_add_loop_test(alone, a_full_queue_loses_no_request_and_no_reply, 0, 6);
    tcase_add_test(tc, a_cycle_on_one_server_makes_two_calls_and_a_random_number);
    tcase_add_test(tc, waits_end_in_time);
    tcase_add_test(tc, a_wake_up_that_was_read_meanwhile_ends_no_poll);
    tcase_add_test(tc, another_wake_fd_takes_the_place_of_the_first);
    tcase_add_test(tc, a_conn_too_many_is_refused_until_another_is_closed);
    tcase_add_test(tc, a_closed_conn_may_be_freed_while_its_server_replies);
    tcase_add_test(tc, an_ended_driver_leaves_no_request);
    tcase_add_test(tc, requests_that_the_kernel_does_not_take_are_an_error);
    tcase_add_test(tc, a_stream_is_waited_for_with_the_events_that_it_needs);
    tcase_add_test(tc, the_errno_of_a_failed_send_over_the_ring_is_kept);
    tcase_add_test(tc, a_request_that_was_not_taken_is_not_made_after_its_conn_is_closed);
    tcase_add_loop_test(tc, requests_that_were_not_taken_are_made_by_the_next_poll, 0, 2);
    tcase_add_test(tc, a_child_needs_a_driver_and_conns_of_its_own);
    tcase_add_test(tc, another_thread_cannot_poll);
    return suite;
}
