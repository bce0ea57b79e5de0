/* SPDX-License-Identifier: MIT */
/* check_easy_thread.c - a thread renews a lock: losses, forks, signals, and threads that come and go. */
#define _GNU_SOURCE
#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "redlock/easy_thread.h"
#include "tests/fixtures/refused_call.h"
#include "tests/fixtures/servers.h"

enum { SERVERS = 3, TTL = 20000, SHORT = 1500, GRACE = 50, PATIENT = 10000 };

static struct live_server live[SERVERS];
static struct rdl_easy easy;
static struct rdl_easy_thread thread;

static void setup(void)
{
    char urls[600] = "", url[LIVE_PATH_MAX + 16];

    memset(live, 0, sizeof live);
    live_start_all(live, SERVERS);
    for (int i = 0; i < SERVERS; i++)
        strcat(strcat(urls, live_url(&live[i], LIVE_V4, url, sizeof url)), " ");
    ck_assert_int_eq(rdl_easy_open(&easy, urls, "nightly"), RDL_OK);
    ck_assert_int_eq(rdl_easy_set_flags(&easy, RDL_EASY_NO_RESTART_GUARD | RDL_EASY_FENCE), RDL_OK);
}

static void teardown(void)
{
    rdl_easy_close(&easy);
    live_remove_all(live, SERVERS);
}

static void lock_and_keep(uint32_t ttl_ms)
{
    ck_assert_int_eq(rdl_easy_lock(&easy, ttl_ms, PATIENT), RDL_OK);
    ck_assert_int_eq(rdl_easy_keep(&easy, &thread, GRACE), RDL_OK);
}

/* Until the remaining time has grown; it never does without a renewal. */
static void await_renewal(void)
{
    uint32_t before = rdl_easy_remaining_ms(&easy), now;

    while ((now = rdl_easy_remaining_ms(&easy)) <= before) {
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

START_TEST(a_thread_renews_until_unlock)
{
    lock_and_keep(SHORT);
    await_renewal();
    await_renewal();
    ck_assert_uint_gt(rdl_easy_fence(&easy), 0);
    ck_assert_int_eq(rdl_easy_renew(&easy, SHORT), RDL_E_HELD);
    ck_assert_int_eq(rdl_easy_lock(&easy, SHORT, 0), RDL_E_HELD);
    ck_assert_int_eq(rdl_easy_unlock(&easy), RDL_OK);
    ck_assert_uint_eq(rdl_easy_remaining_ms(&easy), 0);
    for (int i = 0; i < SERVERS; i++)
        ck_assert_str_eq(live_command(&live[i], "EXISTS nightly"), ":0\r\n");
    lock_and_keep(TTL); /* the same thread structure again */
    ck_assert_uint_le(rdl_easy_remaining_ms(&easy), TTL - GRACE);
}
END_TEST

START_TEST(a_lock_that_is_gone_makes_the_descriptor_readable)
{
    lock_and_keep(SHORT);
    for (int i = 0; i < SERVERS; i++)
        live_command(&live[i], "SET nightly other");
    await_loss();
    ck_assert_int_eq(rdl_easy_lock(&easy, SHORT, 0), RDL_E_HELD); /* unlock it first */
    ck_assert_int_lt(rdl_easy_unlock(&easy), 0);
    for (int i = 0; i < SERVERS; i++)
        live_command(&live[i], "DEL nightly");
    lock_and_keep(TTL);
}
END_TEST

/* The lease lasts for the grace, and for two attempts; nothing renewed it after the work was told to stop. */
START_TEST(the_work_is_told_to_stop_before_the_lease_ends)
{
    lock_and_keep(SHORT);
    live_freeze(&live[0]);
    live_freeze(&live[1]);
    await_loss();
    easy.thread_ops->end(&thread);
    ck_assert_uint_ne(rdl_redlock_until_ms(&easy.lock), 0); /* it was not lost: it only is not renewed */
    live_thaw(&live[0]);
    live_thaw(&live[1]);
}
END_TEST

START_TEST(a_thread_is_refused_if_it_could_not_renew)
{
    struct rlimit limit;

    ck_assert_int_eq(rdl_easy_keep(&easy, &thread, GRACE), RDL_EXPIRED);
    ck_assert_str_eq(rdl_easy_error(&easy),
                     "lock \"nightly\": the lock is not held, so no thread can renew it");
    ck_assert_int_eq(rdl_easy_lock(&easy, TTL, PATIENT), RDL_OK);
    ck_assert_int_eq(rdl_easy_keep(&easy, &thread, TTL / 3 + 1), RDL_E_TTL);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = 4; /* fewer than are open */
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    ck_assert_int_eq(rdl_easy_keep(&easy, &thread, GRACE), RDL_E_SYSTEM);
    limit.rlim_cur = limit.rlim_max;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    ck_assert_uint_gt(rdl_easy_remaining_ms(&easy), 0); /* the lock is as before */
    ck_assert_int_eq(rdl_easy_keep(&easy, &thread, TTL / 3), RDL_OK);
    ck_assert_int_eq(rdl_easy_keep(&easy, &thread, GRACE), RDL_E_HELD);
    ck_assert_int_eq(rdl_easy_unlock(&easy), RDL_OK);
}
END_TEST

/* Also if it has the same process number: both may be process 1 of a PID namespace. */
START_TEST(a_forked_child_has_no_thread_and_no_lock)
{
    int status;
    pid_t pid;

    if (_i)
        refuse_call(SYS_getpid, 0);
    lock_and_keep(SHORT);
    pid = fork(); /* live_fork compares process numbers */
    if (pid == 0) {
        int is_free = rdl_easy_remaining_ms(&easy) == 0 && rdl_easy_fence(&easy) == 0 &&
                      rdl_easy_renew(&easy, SHORT) < 0;
        rdl_easy_close(&easy); /* waits for no thread, and releases nothing */
        _exit(is_free ? 0 : 1);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    await_renewal();
    ck_assert_int_eq(rdl_easy_unlock(&easy), RDL_OK);
}
END_TEST

/* The program was started without them, and may print. */
START_TEST(no_descriptor_is_standard_input_output_or_error)
{
    for (int i = 0; i < 3; i++)
        close(i);
    lock_and_keep(TTL);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_ge(thread.lost[i], 3);
        ck_assert_int_ge(thread.end[i], 3);
    }
    ck_assert_int_eq(rdl_easy_unlock(&easy), RDL_OK);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(fcntl(i, F_GETFD), -1);
}
END_TEST

/* Another program must not keep a pipe of ours open. */
START_TEST(no_descriptor_is_inherited_by_exec)
{
    int before = live_count_fds();
    DIR *dir;

    lock_and_keep(TTL);
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
    lock_and_keep(SHORT);
    ck_assert_int_eq(kill(getpid(), SIGUSR1), 0); /* it would kill the process in the other thread */
    await_renewal();
    ck_assert_int_eq(sigwait(&usr1, &which), 0);
    ck_assert_int_eq(rdl_easy_unlock(&easy), RDL_OK);
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

START_TEST(threads_that_ask_come_and_go)
{
    pthread_t worker[4];

    lock_and_keep(SHORT);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&worker[i], NULL, ask_for_ever, NULL), 0);
    await_renewal();
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(pthread_cancel(worker[i]), 0);
        ck_assert_int_eq(pthread_join(worker[i], NULL), 0);
    }
    await_renewal();
    ck_assert_int_eq(rdl_easy_unlock(&easy), RDL_OK); /* two still ask */
    for (int i = 2; i < 4; i++) {
        ck_assert_int_eq(pthread_cancel(worker[i]), 0);
        ck_assert_int_eq(pthread_join(worker[i], NULL), 0);
    }
}
END_TEST

static void *lock_and_leave(void *arg)
{
    (void)arg;
    lock_and_keep(SHORT);
    return NULL;
}

START_TEST(the_thread_that_locked_may_end)
{
    pthread_t starter;

    ck_assert_int_eq(pthread_create(&starter, NULL, lock_and_leave, NULL), 0);
    ck_assert_int_eq(pthread_join(starter, NULL), 0);
    await_renewal();
    ck_assert_int_eq(rdl_easy_unlock(&easy), RDL_OK);
}
END_TEST

Suite *suite_easy_thread(void);

Suite *suite_easy_thread(void)
{
    Suite *suite = suite_create("easy_thread");
    TCase *tc = tcase_create("three servers");

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, a_thread_renews_until_unlock);
    tcase_add_test(tc, a_lock_that_is_gone_makes_the_descriptor_readable);
    tcase_add_test(tc, the_work_is_told_to_stop_before_the_lease_ends);
    tcase_add_test(tc, a_thread_is_refused_if_it_could_not_renew);
    tcase_add_loop_test(tc, a_forked_child_has_no_thread_and_no_lock, 0, 2);
    tcase_add_test(tc, no_descriptor_is_standard_input_output_or_error);
    tcase_add_test(tc, no_descriptor_is_inherited_by_exec);
    tcase_add_test(tc, a_signal_is_left_to_the_programs_threads);
    tcase_add_test(tc, threads_that_ask_come_and_go);
    tcase_add_test(tc, the_thread_that_locked_may_end);
    suite_add_tcase(suite, tc);
    return suite;
}
