/* SPDX-License-Identifier: MIT */
/* check_easy_thread.c - a thread renews a lock: losses, forks, signals, and threads that come and go. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "redlock/easy/easy_private.h"
#include "redlock/easy_thread.h"
#include "tests/fixtures/freed.h"
#include "tests/fixtures/refused_call.h"
#include "tests/fixtures/servers.h"
#include "tests/suite.h"

enum { SERVERS = 3, TTL = 20000, SHORT = 6000, GRACE = 50, PATIENT = 10000 };
enum { ATTEMPT = 1000 /* a busy machine must not fail a test */ };

static struct live_server live[SERVERS];
static struct rdl_easy easy, other;
static struct rdl_easy_thread thread;
static char urls[600];

/* The servers have just started. */
static void open_with(struct rdl_easy *e, const char *name, uint32_t ttl_ms, unsigned flags)
{
    const struct rdl_easy_options options = {.ttl_ms = ttl_ms, .flags = RDL_EASY_NO_RESTART_GUARD | flags};

    ck_assert_int_eq(rdl_easy_open(e, urls, name, &options), RDL_OK);
    e->opt.lease.attempt_ms = ATTEMPT;
}

static void setup(void)
{
    char url[LIVE_PATH_MAX + 16];

    memset(live, 0, sizeof live);
    live_start_all(live, SERVERS);
    for (int i = 0; i < SERVERS; i++)
        strcat(strcat(urls, live_url(&live[i], LIVE_V4, url, sizeof url)), " ");
    open_with(&easy, "nightly", TTL, RDL_EASY_FENCE);
}

static void teardown(void)
{
    rdl_easy_close(&easy);
    live_remove_all(live, SERVERS);
}

static void start(struct rdl_easy *e)
{
    reused(&thread, sizeof thread);
    ck_assert_int_eq(rdl_easy_start_thread(e, &thread, GRACE), RDL_OK);
}

static void acquire_and_start(uint32_t ttl_ms)
{
    easy.options.ttl_ms = ttl_ms; /* as if it had been opened with it */
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    start(&easy);
}

/* The thread's memory is the caller's again. */
static int release(struct rdl_easy *e)
{
    int rc = rdl_easy_release(e);

    freed(&thread, sizeof thread);
    return rc;
}

/* Until the remaining time has grown; it never does without a renewal. */
static void await_renewal(const struct rdl_easy *e)
{
    uint32_t before = rdl_easy_remaining_ms(e), now;

    while ((now = rdl_easy_remaining_ms(e)) <= before) {
        ck_assert_uint_gt(now, 0);
        before = now;
        poll(NULL, 0, 1);
    }
}

static void await_loss(void)
{
    struct pollfd p = {rdl_easy_lost_fd(&thread), POLLIN, 0};

    ck_assert_int_eq(poll(&p, 1, -1), 1);
    ck_assert_int_eq(p.revents, POLLIN);
    ck_assert_uint_eq(rdl_easy_remaining_ms(&easy), 0);
    ck_assert_uint_eq(rdl_easy_fence(&easy), 0);
}

START_TEST(a_thread_renews_until_release)
{
    acquire_and_start(SHORT);
    await_renewal(&easy);
    await_renewal(&easy);
    ck_assert_uint_gt(rdl_easy_fence(&easy), 0);
    ck_assert_int_eq(rdl_easy_extend(&easy, SHORT), RDL_E_HELD);
    ck_assert_int_eq(rdl_easy_acquire(&easy, 0), RDL_E_HELD);
    ck_assert_int_eq(release(&easy), RDL_OK);
    ck_assert_uint_eq(rdl_easy_remaining_ms(&easy), 0);
    for (int i = 0; i < SERVERS; i++) /* a majority has replied */
        live_await(&live[i], "EXISTS nightly", ":0");
    acquire_and_start(TTL); /* the same thread structure again */
    ck_assert_uint_le(rdl_easy_remaining_ms(&easy), TTL - GRACE);
}
END_TEST

START_TEST(a_lock_that_is_gone_makes_the_descriptor_readable)
{
    acquire_and_start(SHORT);
    for (int i = 0; i < SERVERS; i++)
        live_command(&live[i], "SET nightly other");
    await_loss();
    ck_assert_int_lt(release(&easy), 0);
    for (int i = 0; i < SERVERS; i++)
        live_command(&live[i], "DEL nightly");
    acquire_and_start(TTL);
}
END_TEST

/* Any acquire but RDL_E_HELD ends the thread, as release does. */
START_TEST(a_lost_lock_can_be_acquired_without_release)
{
    acquire_and_start(SHORT);
    ck_assert_int_eq(rdl_easy_acquire(&easy, 0), RDL_E_HELD);
    for (int i = 0; i < SERVERS; i++)
        live_command(&live[i], "SET nightly other");
    await_loss();
    ck_assert_int_eq(rdl_easy_adopt(&easy, "0123456789012345678901234567890123456789"), RDL_E_HELD);
    ck_assert_str_eq(rdl_easy_error(&easy),
                     "lock \"nightly\": the lock is lost, but its thread has not ended: release it first");
    for (int i = 0; i < SERVERS && _i == 0; i++)
        live_command(&live[i], "DEL nightly");
    ck_assert_int_eq(rdl_easy_acquire(&easy, _i ? 0 : PATIENT), _i ? RDL_BUSY : RDL_OK);
    freed(&thread, sizeof thread);
    for (int i = 0; i < SERVERS && _i == 1; i++)
        live_command(&live[i], "DEL nightly");
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), _i ? RDL_OK : RDL_E_HELD);
    start(&easy);
    ck_assert_uint_gt(rdl_easy_remaining_ms(&easy), 0);
    ck_assert_int_eq(release(&easy), RDL_OK);
}
END_TEST

/* The work had to stop before the lease ends. What is left of the lease is released. */
START_TEST(a_lock_in_its_grace_can_be_acquired_again)
{
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    reused(&thread, sizeof thread);
    ck_assert_int_eq(rdl_easy_start_thread(&easy, &thread, TTL / 3), RDL_OK);
    rdl_easy_publish(&easy, 0, 0, thread.process); /* as the thread does in the grace */
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    freed(&thread, sizeof thread);
    ck_assert_uint_gt(rdl_easy_remaining_ms(&easy), TTL / 2);
    ck_assert_int_eq(rdl_easy_release(&easy), RDL_OK);
    rdl_easy_close(&easy);
    for (int i = 0; i < SERVERS; i++)
        ck_assert_str_eq(live_command(&live[i], "EXISTS nightly"), ":0\r\n");
}
END_TEST

/* ---------------------------------------------------------------- the end of the thread */

START_TEST(nothing_touches_the_thread_after_its_end)
{
    char token[RDL_TOKEN_TEXT_MAX];

    acquire_and_start(TTL);
    rdl_easy_token(&easy, token);
    if (_i == 0)
        ck_assert_int_eq(release(&easy), RDL_OK);
    else
        rdl_easy_close(&easy);
    freed(&thread, sizeof thread);
    ck_assert_uint_eq(rdl_easy_remaining_ms(&easy), 0);
    ck_assert_uint_eq(rdl_easy_fence(&easy), 0);
    ck_assert_int_lt(rdl_easy_release(&easy), 0);
    ck_assert_int_lt(rdl_easy_extend(&easy, TTL), 0);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), _i ? RDL_E_CONFIG : RDL_OK);
    rdl_easy_close(&easy);
    rdl_easy_close(&easy);
}
END_TEST

START_TEST(the_memory_of_an_ended_thread_serves_another_lock)
{
    acquire_and_start(SHORT);
    ck_assert_int_eq(release(&easy), RDL_OK);
    open_with(&other, "weekly", SHORT, 0);
    ck_assert_int_eq(rdl_easy_acquire(&other, PATIENT), RDL_OK);
    start(&other);
    ck_assert_uint_eq(rdl_easy_remaining_ms(&easy), 0);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    rdl_easy_close(&easy);
    await_renewal(&other);
    ck_assert_int_eq(release(&other), RDL_OK);
    rdl_easy_close(&other);
}
END_TEST

START_TEST(an_adopted_lock_has_its_time_after_a_thread)
{
    char token[RDL_TOKEN_TEXT_MAX];

    acquire_and_start(TTL);
    ck_assert_int_eq(release(&easy), RDL_OK);
    open_with(&other, "nightly", TTL, 0);
    ck_assert_int_eq(rdl_easy_acquire(&other, PATIENT), RDL_OK);
    rdl_easy_token(&other, token);
    ck_assert_int_eq(rdl_easy_adopt(&easy, token), RDL_OK);
    ck_assert_uint_eq(rdl_easy_remaining_ms(&easy), 0);
    ck_assert_int_eq(rdl_easy_extend(&easy, TTL), RDL_ADOPTED);
    ck_assert_uint_gt(rdl_easy_remaining_ms(&easy), TTL / 2);
    start(&easy);
    ck_assert_uint_gt(rdl_easy_remaining_ms(&easy), TTL / 2);
    ck_assert_int_eq(release(&easy), RDL_OK);
}
END_TEST

static struct rdl_platform sockets;
static unsigned polls;

static int poll_after_the_lease(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms,
                                unsigned flags)
{
    polls++;
    ck_assert_uint_eq(rdl_easy_remaining_ms(&easy), 0);
    ck_assert_uint_eq(rdl_easy_fence(&easy), 0);
    return sockets.poll(ctx, conns, n, until_ms, flags);
}

/* With a thread or without one, and whether release waits or not. */
START_TEST(the_lease_is_over_before_its_release_is_sent)
{
    unsigned at_once = _i & 1 ? RDL_EASY_RELEASE_AT_ONCE : 0;

    rdl_easy_close(&easy);
    open_with(&easy, "nightly", TTL, RDL_EASY_FENCE | at_once);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    if (_i & 2)
        start(&easy);
    ck_assert_uint_gt(rdl_easy_fence(&easy), 0);
    sockets = easy.platform; /* the thread does not renew it yet */
    easy.platform.poll = poll_after_the_lease;
    ck_assert_int_eq(rdl_easy_release(&easy), RDL_OK);
    ck_assert_uint_gt(polls, 0);
    easy.platform = sockets;
}
END_TEST

static sem_t is_renewing, may_go_on;

/* The thread's first renewal lasts until the test lets it go on. */
static int poll_long(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, unsigned flags)
{
    if (polls++ == 0) {
        sem_post(&is_renewing);
        sem_wait(&may_go_on);
    }
    return sockets.poll(ctx, conns, n, until_ms, flags);
}

static void *release_in_thread(void *arg)
{
    (void)arg;
    ck_assert_int_ge(rdl_easy_release(&easy), RDL_OK);
    return NULL;
}

/* What others open gets the lowest free numbers. The thread must not wait for one of those. */
START_TEST(release_returns_although_others_open_descriptors)
{
    struct pollfd end = {.events = POLLIN};
    int fd[2];
    pthread_t releaser;

    sem_init(&is_renewing, 0, 0);
    sem_init(&may_go_on, 0, 0);
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    sockets = easy.platform;
    easy.platform.poll = poll_long;
    easy.opt.lease.ttl_ms = SHORT; /* it renews soon, and the lease lasts longer than the test */
    start(&easy);
    sem_wait(&is_renewing);
    end.fd = thread.end[0];
    ck_assert_int_eq(pthread_create(&releaser, NULL, release_in_thread, NULL), 0);
    ck_assert_int_eq(poll(&end, 1, -1), 1); /* release waits for the thread now */
    for (int i = 0; i < 20; i++) {
        ck_assert_int_eq(pipe(fd), 0);
        poll(NULL, 0, 1);
    }
    sem_post(&may_go_on);
    ck_assert_int_eq(pthread_join(releaser, NULL), 0);
    easy.platform = sockets;
}
END_TEST

START_TEST(the_work_is_told_to_stop_before_the_lease_ends)
{
    acquire_and_start(SHORT);
    live_freeze(&live[0]);
    live_freeze(&live[1]);
    await_loss();
    easy.end_thread(&thread);
    easy.thread = NULL;
    ck_assert_uint_ne(rdl_redlock_until_ms(&easy.lock), 0); /* it was not lost: it only is not renewed */
    live_thaw(&live[0]);
    live_thaw(&live[1]);
}
END_TEST

START_TEST(a_thread_is_refused_if_it_could_not_renew)
{
    struct rlimit limit;

    ck_assert_int_eq(rdl_easy_start_thread(&easy, &thread, GRACE), RDL_EXPIRED);
    ck_assert_str_eq(rdl_easy_error(&easy),
                     "lock \"nightly\": the lock is not held, so no thread can renew it");
    ck_assert_int_eq(rdl_easy_acquire(&easy, PATIENT), RDL_OK);
    ck_assert_int_eq(rdl_easy_start_thread(&easy, &thread, TTL / 3 + 1), RDL_E_TTL);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = 4; /* fewer than are open */
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    ck_assert_int_eq(rdl_easy_start_thread(&easy, &thread, GRACE), RDL_E_SYSTEM);
    limit.rlim_cur = limit.rlim_max;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    ck_assert_uint_gt(rdl_easy_remaining_ms(&easy), 0); /* the lock is as before */
    ck_assert_int_eq(rdl_easy_start_thread(&easy, &thread, TTL / 3), RDL_OK);
    ck_assert_int_eq(rdl_easy_start_thread(&easy, &thread, GRACE), RDL_E_HELD);
    ck_assert_int_eq(release(&easy), RDL_OK);
}
END_TEST

/* Also if it has the same process number: both may be process 1 of a PID namespace. */
START_TEST(a_forked_child_has_no_thread_and_no_lock)
{
    int status;
    pid_t pid;

    if (_i)
        refuse_call(SYS_getpid, 0);
    acquire_and_start(SHORT);
    pid = fork(); /* live_fork compares process numbers */
    if (pid == 0) {
        int is_free = rdl_easy_remaining_ms(&easy) == 0 && rdl_easy_fence(&easy) == 0 &&
                      rdl_easy_extend(&easy, SHORT) < 0;
        rdl_easy_close(&easy); /* waits for no thread, and releases nothing */
        _exit(is_free ? 0 : 1);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    await_renewal(&easy);
    ck_assert_int_eq(release(&easy), RDL_OK);
}
END_TEST

/* The program was started without them, and may print. */
START_TEST(no_descriptor_is_standard_input_output_or_error)
{
    for (int i = 0; i < 3; i++)
        close(i);
    acquire_and_start(TTL);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_ge(thread.lost[i], 3);
        ck_assert_int_ge(thread.end[i], 3);
    }
    ck_assert_int_eq(rdl_easy_release(&easy), RDL_OK);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(fcntl(i, F_GETFD), -1);
}
END_TEST

/* Another program must not keep a pipe of ours open. */
START_TEST(no_descriptor_is_inherited_by_exec)
{
    int before = live_count_fds();
    DIR *dir;

    acquire_and_start(TTL);
    ck_assert_int_gt(live_count_fds(), before);
    dir = opendir("/proc/self/fd");
    ck_assert_ptr_nonnull(dir);
    for (const struct dirent *d = readdir(dir); d != NULL; d = readdir(dir)) {
        int fd = atoi(d->d_name);
        if (fd >= thread.lost[0] && fd <= thread.end[1])
            ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
    }
    closedir(dir);
    rdl_easy_close(&easy);
    ck_assert_int_le(live_count_fds(), before);
}
END_TEST

START_TEST(a_signal_is_left_to_the_programs_threads)
{
    sigset_t usr1;
    int which;

    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    ck_assert_int_eq(pthread_sigmask(SIG_BLOCK, &usr1, NULL), 0);
    acquire_and_start(SHORT);
    ck_assert_int_eq(kill(getpid(), SIGUSR1), 0); /* it would kill the process in the other thread */
    await_renewal(&easy);
    ck_assert_int_eq(sigwait(&usr1, &which), 0);
    ck_assert_int_eq(release(&easy), RDL_OK);
}
END_TEST

static void *ask_for_ever(void *arg)
{
    (void)arg;
    for (;;) {
        rdl_easy_remaining_ms(&easy);
        rdl_easy_fence(&easy);
        pthread_testcancel();
    }
    return NULL;
}

/* ---------------------------------------------------------------- threads that ask */

static int readers_end;

/* Fencing tokens grow, and are at most those of the few locks of the test. */
static void *read_leases(void *arg)
{
    uint64_t greatest = 0, fence;

    (void)arg;
    while (!__atomic_load_n(&readers_end, __ATOMIC_SEQ_CST)) {
        ck_assert_uint_le(rdl_easy_remaining_ms(&easy), SHORT);
        fence = rdl_easy_fence(&easy);
        ck_assert(fence == 0 || fence >= greatest);
        ck_assert_uint_le(fence, 10);
        if (fence != 0)
            greatest = fence;
    }
    return NULL;
}

START_TEST(threads_ask_across_start_release_and_a_reused_thread)
{
    pthread_t reader;

    ck_assert_int_eq(pthread_create(&reader, NULL, read_leases, NULL), 0);
    for (int i = 0; i < 3; i++) {
        acquire_and_start(SHORT);
        await_renewal(&easy);
        ck_assert_int_eq(release(&easy), RDL_OK);
    }
    __atomic_store_n(&readers_end, 1, __ATOMIC_SEQ_CST);
    ck_assert_int_eq(pthread_join(reader, NULL), 0);
}
END_TEST

enum { INTERRUPTIONS = 20000, EVERY_US = 20 };
static volatile sig_atomic_t interruptions;

/* Writes both entries, so the one that is being read, too. Both halves are the same number. */
static void publish_twice(int signal)
{
    static uint64_t i;

    (void)signal;
    for (int entry = 0; entry < 2; entry++, i++)
        rdl_easy_publish(&easy, 0, i << 32 | i, 0);
    interruptions++;
}

/* In the place of a second thread, which would rarely come in between. */
START_TEST(no_reader_sees_half_of_a_fencing_token)
{
    const struct itimerval often = {{0, EVERY_US}, {0, EVERY_US}}, never = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_handler = publish_twice};

    ck_assert_int_eq(sigaction(SIGALRM, &action, NULL), 0);
    ck_assert_int_eq(setitimer(ITIMER_REAL, &often, NULL), 0);
    while (interruptions < INTERRUPTIONS) {
        uint64_t fence = rdl_easy_fence(&easy);
        ck_assert_uint_eq(fence >> 32, (uint32_t)fence);
    }
    ck_assert_int_eq(setitimer(ITIMER_REAL, &never, NULL), 0);
}
END_TEST

START_TEST(threads_that_ask_come_and_go)
{
    pthread_t worker[4];

    acquire_and_start(SHORT);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&worker[i], NULL, ask_for_ever, NULL), 0);
    await_renewal(&easy);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(pthread_cancel(worker[i]), 0);
        ck_assert_int_eq(pthread_join(worker[i], NULL), 0);
    }
    await_renewal(&easy);
    ck_assert_int_eq(release(&easy), RDL_OK); /* two still ask */
    for (int i = 2; i < 4; i++) {
        ck_assert_int_eq(pthread_cancel(worker[i]), 0);
        ck_assert_int_eq(pthread_join(worker[i], NULL), 0);
    }
}
END_TEST

static void *acquire_and_leave(void *arg)
{
    (void)arg;
    acquire_and_start(SHORT);
    return NULL;
}

START_TEST(the_thread_that_acquired_may_end)
{
    pthread_t starter;

    ck_assert_int_eq(pthread_create(&starter, NULL, acquire_and_leave, NULL), 0);
    ck_assert_int_eq(pthread_join(starter, NULL), 0);
    await_renewal(&easy);
    ck_assert_int_eq(release(&easy), RDL_OK);
}
END_TEST

Suite *suite_easy_thread(void)
{
    Suite *suite = suite_create("easy_thread");
    TCase *tc = suite_case(suite, "three servers", setup, teardown);

    tcase_add_test(tc, a_thread_renews_until_release);
    tcase_add_test(tc, a_lock_that_is_gone_makes_the_descriptor_readable);
    tcase_add_loop_test(tc, a_lost_lock_can_be_acquired_without_release, 0, 2);
    tcase_add_test(tc, a_lock_in_its_grace_can_be_acquired_again);
    tcase_add_loop_test(tc, nothing_touches_the_thread_after_its_end, 0, 2);
    tcase_add_test(tc, the_memory_of_an_ended_thread_serves_another_lock);
    tcase_add_test(tc, an_adopted_lock_has_its_time_after_a_thread);
    tcase_add_loop_test(tc, the_lease_is_over_before_its_release_is_sent, 0, 4);
    tcase_add_test(tc, release_returns_although_others_open_descriptors);
    tcase_add_test(tc, the_work_is_told_to_stop_before_the_lease_ends);
    tcase_add_test(tc, a_thread_is_refused_if_it_could_not_renew);
    tcase_add_loop_test(tc, a_forked_child_has_no_thread_and_no_lock, 0, 2);
    tcase_add_test(tc, no_descriptor_is_standard_input_output_or_error);
    tcase_add_test(tc, no_descriptor_is_inherited_by_exec);
    tcase_add_test(tc, a_signal_is_left_to_the_programs_threads);
    tcase_add_test(tc, threads_ask_across_start_release_and_a_reused_thread);
    tcase_add_test(tc, threads_that_ask_come_and_go);
    tcase_add_test(tc, the_thread_that_acquired_may_end);
    tc = suite_case(suite, "no server", NULL, NULL);
    tcase_add_test(tc, no_reader_sees_half_of_a_fencing_token);
    return suite;
}
