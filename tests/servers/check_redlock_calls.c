/* SPDX-License-Identifier: MIT */
/* The cost of a lock on five servers: its system calls, counted from outside. */
#define _GNU_SOURCE
#include <check.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "lock/lock_op.h"
#include "tests/fixtures/calls.h"
#include "tests/fixtures/quorum.h"

enum { CYCLES = 20 };

static struct party party;
static struct rdl_platform platform;
static size_t answering = 5; /* servers; the others are stopped */

/* The replies that have come when poll is called are random; here all of them have. ppoll is not counted. */
static int poll_when_all_are_in(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms,
                                size_t need, int can_wake)
{
    size_t i;

    for (i = 0; i < n; i++) {
        struct pollfd p = {rdl_posix_fd(conns[i]), POLLIN, 0};
        int is_sent = (rdl_posix_events(conns[i]) & POLLOUT) == 0 && rdl_conn_waiting(conns[i]) > 0;
        if (is_sent && i < answering && ppoll(&p, 1, NULL, NULL) != 1)
            _exit(1);
    }
    return client_platform.poll(ctx, conns, n, until_ms, need, can_wake);
}

/* In the process that uses them: all are connected and know the script. */
static void warm_up(void)
{
    party_init(&party);
    for (int i = 0; i < 5; i++) {
        struct rdl_conn *conns[] = {party.servers[i].conn};
        while (rdl_conn_state(conns[0]) != RDL_CONN_READY) {
            rdl_conn_tick(conns[0], client_now());
            if (client_platform.poll(client_platform.ctx, conns, 1, client_now() + 10, 1, 0) != RDL_OK)
                _exit(1);
        }
    }
    if (rdl_redlock_acquire(&party.lock, &platform) != RDL_OK ||
        rdl_redlock_release(&party.lock, &platform) != RDL_OK ||
        rdl_redlock_drain(&party.lock, &platform, client_now() + CLIENT_TIMEOUT_MS) != RDL_OK)
        _exit(1);
}

static void cycle(void)
{
    if (rdl_redlock_acquire(&party.lock, &platform) != RDL_OK ||
        rdl_redlock_release(&party.lock, &platform) != RDL_OK)
        _exit(1);
}

static void cycles(void)
{
    int i;

    warm_up();
    for (i = 0; i < CYCLES; i++) {
        calls_mark();
        cycle();
    }
    calls_mark();
}

/* The same after the last server was stopped and its connection has stalled. */
static void cycles_with_one_stopped(void)
{
    int i;

    warm_up();
    party.opt.lease.attempt_ms = QUORUM_HASTY_MS;
    if (kill(quorum_live[4].pid, SIGSTOP) != 0)
        _exit(1);
    answering = 4;
    while (rdl_conn_state(party.servers[4].conn) != RDL_CONN_STALLED)
        cycle();
    calls_mark();
    for (i = 0; i < CYCLES; i++)
        cycle();
    calls_mark();
}

/*
 * A random number; then twice: send to each server, wait once, read each reply. Before each of these it
 * checks which process owns the connections (getpid).
 */
START_TEST(a_cycle_on_five_servers_makes_23_calls_and_4_getpid)
{
    static const char with[] = "|gisssssiprrrrrisssssiprrrrr";
    static const char without[] = "|isssssiprrrrrisssssiprrrrr";
    int for_random = calls_for_random();
    const char *at;
    int i;

    quorum_start(5);
    platform = client_platform;
    platform.poll = poll_when_all_are_in;
    at = strchr(calls_of(cycles), '|');
    for (i = 0; i < CYCLES; i++) {
        /* Without a call for each, there still is one at times: for a new seed, as after a fork. */
        const char *cycle = for_random || at[1] == 'g' ? with : without;
        ck_assert_msg(strncmp(at, cycle, strlen(cycle)) == 0, "%s", at);
        at += strlen(cycle);
    }
    ck_assert_str_eq(at, "|");
}
END_TEST

static int count(const char *calls, char call)
{
    int n = 0;

    for (; *calls != '\0'; calls++)
        n += *calls == call;
    return n;
}

/*
 * How many replies have come by each poll is random, but no socket is read before poll reports data. A last
 * poll reads the stalled connection before it may be closed, and waits for nothing.
 */
START_TEST(a_stalled_server_costs_two_polls_and_no_recv)
{
    const char *at;

    quorum_start(5);
    platform = client_platform;
    platform.poll = poll_when_all_are_in;
    at = strchr(calls_of(cycles_with_one_stopped), '|');
    live_thaw(&quorum_live[4]);
    ck_assert_int_eq(count(at, 's'), 8 * CYCLES);
    ck_assert_int_le(count(at, 'r'), 8 * CYCLES + 4); /* also replies to the last request before */
    ck_assert_int_le(count(at, 'p'), 4 * CYCLES);
}
END_TEST

Suite *suite_redlock_calls(void);

Suite *suite_redlock_calls(void)
{
    Suite *suite = suite_create("redlock_calls");
    TCase *tc = tcase_create("calls");

    tcase_add_checked_fixture(tc, NULL, quorum_stop);
    tcase_add_test(tc, a_cycle_on_five_servers_makes_23_calls_and_4_getpid);
    tcase_add_test(tc, a_stalled_server_costs_two_polls_and_no_recv);
    suite_add_tcase(suite, tc);
    return suite;
}
