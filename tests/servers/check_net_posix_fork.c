/* SPDX-License-Identifier: MIT */
/* A child after fork that uses its parent's connections gets an error, and the parent notices nothing. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/net_posix_process.h"
#include "redlock/redlock.h"
#include "tests/fixtures/client.h"
#include "tests/fixtures/refused_call.h"
#include "tests/suite.h"

static struct live_server server;
static struct client client;
static struct rdl_lock lock;
static struct rdl_server servers[1];
static struct rdl_redlock redlock;
static char url[256];

static const struct rdl_lock_options opt = {.ttl_ms = 60000, .attempt_ms = 5000};
static const struct rdl_redlock_options many = {
    .lease = {.ttl_ms = 60000, .attempt_ms = 5000}, .max_ttl_ms = 60000, .guard = RDL_GUARD_OFF};

static void start(void)
{
    client_setup();
    live_start(&server);
}

/* Both locks are held. */
static void hold(enum live_method way, int is_given)
{
    client_init(&client, live_url(&server, way, url, sizeof url));
    servers[0].conn = &client.conn;
    rdl_redlock_init(&redlock, &many, servers, 1, "many", 4);
    rdl_lock_init(&lock, &opt, &client.conn, "one", 3);
    rdl_conn_tick(&client.conn, client_now());
    if (is_given)
        rdl_posix_opened(&client.conn, live_connect(&server));
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_OK);
    ck_assert_int_eq(rdl_redlock_acquire(&redlock, &client_platform), RDL_OK);
}

static void setup(void)
{
    start();
    hold(LIVE_V4, 0);
}

static void setup_unix(void)
{
    start();
    hold(LIVE_UNIX, 0);
}

/* The program connected the socket. */
static void setup_given(void)
{
    start();
    hold(LIVE_V4, 1);
}

/* As for process 1 of a PID namespace whose child is process 1 of another: each has the same number. */
static void setup_same_number(void)
{
    start();
    refuse_call(SYS_getpid, 0);
    hold(LIVE_V4, 0);
}

/* A kernel before Linux 4.14. */
static void setup_old_kernel(void)
{
    start();
    refuse_call(SYS_madvise, EINVAL);
    hold(LIVE_V4, 0);
}

/* As qemu's user mode once was: all advice is accepted, and has no effect. */
static void setup_no_advice(void)
{
    start();
    refuse_call(SYS_madvise, 0);
    hold(LIVE_V4, 0);
}

static void teardown(void)
{
    live_remove(&server);
}

/* The claim is true in a child. (live_fork would compare process numbers.) */
static void in_child(int (*claim)(void))
{
    int status;
    pid_t pid = fork();

    if (pid == 0)
        _exit(claim() ? 0 : 1);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* The parent continues on its connection. */
static void parent_goes_on(int fd)
{
    ck_assert_int_eq(rdl_lock_extend(&lock, &client_platform, 60000), RDL_OK);
    ck_assert_int_eq(rdl_redlock_extend(&redlock, &client_platform, 60000), RDL_OK);
    ck_assert_int_eq(rdl_posix_fd(&client.conn), fd);
    ck_assert_int_eq(rdl_lock_release(&lock, &client_platform), RDL_OK);
    ck_assert_int_eq(rdl_redlock_release(&redlock, &client_platform), RDL_OK);
    ck_assert_str_eq(live_command(&server, "DBSIZE"), ":0\r\n");
}

static int acquires(void)
{
    struct rdl_lock another;
    int rc;

    rdl_lock_init(&another, &opt, &client.conn, "another", 7);
    rc = rdl_lock_acquire(&another, &client_platform);
    return rc == RDL_E_FORKED && rdl_lock_acquire(&another, &client_platform) == RDL_E_FORKED;
}

static int acquires_many(void)
{
    struct rdl_redlock another;

    rdl_redlock_init(&another, &many, servers, 1, "another", 7);
    return rdl_redlock_acquire(&another, &client_platform) == RDL_E_FORKED;
}

static int extends(void)
{
    return rdl_lock_extend(&lock, &client_platform, 60000) == RDL_E_FORKED;
}

static int extends_many(void)
{
    return rdl_redlock_extend(&redlock, &client_platform, 60000) == RDL_E_FORKED;
}

static int releases(void)
{
    return rdl_lock_release(&lock, &client_platform) == RDL_E_FORKED;
}

static int releases_many(void)
{
    return rdl_redlock_release(&redlock, &client_platform) == RDL_E_FORKED &&
           rdl_redlock_drain(&redlock, &client_platform, client_now() + 1000) == RDL_E_FORKED;
}

/* Its copy of the descriptor is closed, and no other is opened, however often it tries. */
static int is_ready(void)
{
    int before = live_count_fds();

    for (int i = 0; i < 3; i++) {
        rdl_conn_tick(&client.conn, client_now() + 5000u * (unsigned)i);
        rdl_posix_ready(&client.conn, 0);
        if (rdl_posix_fd(&client.conn) != -1 || rdl_conn_error(&client.conn) != RDL_E_FORKED)
            return 0;
    }
    return live_count_fds() == before - 1;
}

/* In an event loop; it reports how long to wait, and need not. */
static int steps(void)
{
    static const struct rdl_lock_options waits = {.ttl_ms = 60000, .wait_ms = 60000, .retry_ms = 50};
    static const uint8_t entropy[RDL_ENTROPY_LEN] = {1};
    struct rdl_lock another;
    uint64_t now = client_now();
    int rc;

    rdl_lock_init(&another, &waits, &client.conn, "another", 7);
    rc = rdl_lock_acquire_begin(&another, entropy, now);
    for (int i = 0; i < 10 && rc == RDL_PENDING; i++) {
        rdl_posix_ready(&client.conn, 0);
        rc = rdl_lock_step(&another, now);
    }
    return rc == RDL_E_FORKED;
}

static int opens(void)
{
    int before = live_count_fds();
    int ends[2];

    rdl_posix_ready(&client.conn, 0);
    rdl_conn_tick(&client.conn, client_now() + 5000);
    rdl_conn_tick(&client.conn, client_now() + 10000);
    if (pipe(ends) != 0)
        return 0;
    rdl_posix_opened(&client.conn, ends[0]);
    close(ends[1]);
    return rdl_conn_state(&client.conn) == RDL_CONN_CLOSED && live_count_fds() == before - 1;
}

static int (*const uses[])(void) = {acquires,      acquires_many, extends,  extends_many, releases,
                                    releases_many, steps,         is_ready, opens};

START_TEST(a_forked_child_is_refused_and_the_parent_keeps_its_locks)
{
    int fd = rdl_posix_fd(&client.conn);

    in_child(uses[_i]);
    ck_assert_str_eq(live_command(&server, "DBSIZE"), ":2\r\n");
    parent_goes_on(fd);
}
END_TEST

/* The parent's socket was closed, too: queued requests are still the parent's. */
START_TEST(a_child_is_refused_even_if_the_parents_socket_was_closed)
{
    rdl_conn_closed(&client.conn, RDL_E_CLOSED);
    in_child(uses[_i]);
    ck_assert_str_eq(live_command(&server, "DBSIZE"), ":2\r\n");
}
END_TEST

static int sets_up_again(void)
{
    struct client own;
    int rc;

    client_init(&own, url);
    rdl_lock_init(&lock, &opt, &own.conn, "another", 7);
    rc = rdl_lock_acquire(&lock, &client_platform);
    if (rc == RDL_OK)
        rc = rdl_lock_release(&lock, &client_platform);
    close(rdl_posix_fd(&client.conn)); /* no usable copy is left */
    rdl_conn_init(&client.conn, &client.cfg);
    rdl_lock_init(&lock, &opt, &client.conn, "another", 7);
    return rc == RDL_OK && rdl_lock_acquire(&lock, &client_platform) == RDL_OK &&
           rdl_lock_release(&lock, &client_platform) == RDL_OK;
}

START_TEST(a_child_with_its_own_connection_has_its_own_locks)
{
    int fd = rdl_posix_fd(&client.conn);

    in_child(sets_up_again);
    parent_goes_on(fd);
}
END_TEST

/* It was not open: it is the child's. */
static int opens_first(void)
{
    return rdl_lock_acquire(&lock, &client_platform) == RDL_OK &&
           rdl_lock_release(&lock, &client_platform) == RDL_OK;
}

START_TEST(a_connection_opened_after_the_fork_is_the_childs)
{
    client_init(&client, url);
    rdl_lock_init(&lock, &opt, &client.conn, "another", 7);
    in_child(opens_first);
    ck_assert_int_eq(rdl_lock_acquire(&lock, &client_platform), RDL_OK);
}
END_TEST

/* ---------------------------------------------------------------- the mark of a process */

enum { DEPTH = 3 };

static uint32_t ancestors[DEPTH];

/* A process, its child and its grandchild have different marks, and each keeps its own. */
static int has_its_own_mark(int depth)
{
    uint32_t mark = rdl_posix_process();
    int status = 1;
    pid_t pid;

    for (int i = 0; i < depth; i++)
        if (ancestors[i] == mark)
            return 0;
    if (mark == 0 || depth == DEPTH)
        return mark != 0;
    ancestors[depth] = mark;
    pid = fork();
    if (pid == 0)
        _exit(has_its_own_mark(depth + 1) ? 0 : 1);
    return waitpid(pid, &status, 0) == pid && status == 0 && rdl_posix_process() == mark;
}

START_TEST(a_child_has_another_mark_than_all_its_ancestors)
{
    if (_i > 0)
        refuse_call(SYS_madvise, _i == 1 ? EINVAL : 0);
    ck_assert(has_its_own_mark(0));
    ck_assert(has_its_own_mark(0)); /* another child */
}
END_TEST

/* Over io_uring a host that refuses madvise has no ring. */
static const struct {
    const char *name;
    void (*setup)(void);
    int is_for_sockets;
} hosts[] = {{"fork", setup, 0},
             {"fork over a unix socket", setup_unix, 0},
             {"fork over a given socket", setup_given, 0},
             {"one process number", setup_same_number, 0},
             {"old kernel", setup_old_kernel, 1},
             {"advice without effect", setup_no_advice, 1}};

Suite *suite_net_posix_fork(void)
{
    Suite *suite = suite_create("net_posix_fork");
    TCase *tc;
    const int n = sizeof uses / sizeof uses[0];

    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        tc = suite_case(suite, hosts[i].name, hosts[i].setup, teardown);
        if (hosts[i].is_for_sockets)
            tcase_set_tags(tc, "sockets");
        tcase_add_loop_test(tc, a_forked_child_is_refused_and_the_parent_keeps_its_locks, 0, n);
        tcase_add_loop_test(tc, a_child_is_refused_even_if_the_parents_socket_was_closed, 0, n - 2);
    }
    tc = suite_case(suite, "sockets alone", setup, teardown);
    tcase_set_tags(tc, "sockets");
    tcase_add_test(tc, a_child_with_its_own_connection_has_its_own_locks);
    tcase_add_test(tc, a_connection_opened_after_the_fork_is_the_childs);
    tc = suite_case(suite, "mark", NULL, NULL);
    tcase_add_loop_test(tc, a_child_has_another_mark_than_all_its_ancestors, 0, 3);
    return suite;
}
