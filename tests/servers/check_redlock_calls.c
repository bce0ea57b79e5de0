/* SPDX-License-Identifier: MIT */
/* The cost of a lock on five servers: its system calls, counted from outside. */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "lock/lock_op.h"
#include "tests/fixtures/calls.h"
#include "tests/fixtures/quorum.h"
#include "tests/suite.h"

enum { CYCLES = 20 };

static struct party party;

/* In the process that uses them: all are connected and know the script. */
static void warm_up(void)
{
    party_init(&party);
    for (int i = 0; i < 5; i++) {
        struct rdl_conn *conns[] = {party.servers[i].conn};
        while (rdl_conn_state(conns[0]) != RDL_CONN_READY) {
            rdl_conn_tick(conns[0], client_now());
            if (client_platform.poll(client_platform.ctx, conns, 1, client_now() + 10, 0) != RDL_OK)
                _exit(1);
        }
    }
    if (rdl_redlock_acquire(&party.lock, &client_platform) != RDL_OK ||
        rdl_redlock_release(&party.lock, &client_platform) != RDL_OK ||
        rdl_redlock_drain(&party.lock, &client_platform, client_now() + CLIENT_TIMEOUT_MS) != RDL_OK)
        _exit(1);
}

static void cycle(void)
{
    if (rdl_redlock_acquire(&party.lock, &client_platform) != RDL_OK ||
        rdl_redlock_release(&party.lock, &client_platform) != RDL_OK)
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
    party.opt.lease.attempt_ms = 1000; /* the others reply, even on a busy machine */
    if (kill(quorum_live[4].pid, SIGSTOP) != 0)
        _exit(1);
    while (rdl_conn_state(party.servers[4].conn) != RDL_CONN_STALLED) {
        cycle();
        usleep(50000);
    }
    calls_mark();
    for (i = 0; i < CYCLES; i++)
        cycle();
    calls_mark();
}

/*
 * How many replies have come by each poll is random. Each poll of ours is one poll of the system, also the
 * one that sends before. Whether this is a forked child costs no call (getpid).
 */
START_TEST(a_cycle_on_five_servers_makes_no_call_in_vain)
{
    const char *at;
    int tries = 0;

    quorum_start(5);
    do /* a busy machine may wait for more than one slice */
        at = strchr(calls_of(cycles), '|');
    while (calls_count(at, 'p') > 6 * CYCLES && ++tries < 5);
    ck_assert_int_eq(calls_count(at, '|'), CYCLES + 1);
    ck_assert_int_eq(calls_count(at, 's'), 10 * CYCLES);
    ck_assert_int_le(calls_count(at, 'r'), 10 * CYCLES);
    ck_assert_int_ge(calls_count(at, 'p'), 2 * CYCLES);
    ck_assert_int_le(calls_count(at, 'p'), 6 * CYCLES);
    ck_assert_int_eq(calls_count(at, 'i'), 0);
    /* Where a random number needs no call there still is one at times: for a new seed, as after a fork. */
    ck_assert_int_le(calls_count(at, 'g'), calls_for_random() ? CYCLES : 1);
    ck_assert_int_eq(calls_count(at, '?'), 0);
}
END_TEST

/*
 * No socket is read before poll reports data. The stalled connection is read by the same polls.
 */
START_TEST(a_stalled_server_costs_no_call)
{
    const char *at;
    int tries = 0;

    quorum_start(5);
    do { /* the same */
        at = strchr(calls_of(cycles_with_one_stopped), '|');
        live_thaw(&quorum_live[4]);
    } while (calls_count(at, 'p') > 6 * CYCLES && ++tries < 5);
    ck_assert_int_le(calls_count(at, 's'), 8 * CYCLES);
    ck_assert_int_le(calls_count(at, 'r'),
                     calls_count(at, 's') + 4); /* also replies to the last requests before */
    ck_assert_int_le(calls_count(at, 'p'), 6 * CYCLES);
}
END_TEST

Suite *suite_redlock_calls(void)
{
    Suite *suite = suite_create("redlock_calls");
    TCase *tc = suite_case(suite, "calls", NULL, quorum_stop);

    tcase_add_test(tc, a_cycle_on_five_servers_makes_no_call_in_vain);
    tcase_add_test(tc, a_stalled_server_costs_no_call);
    return suite;
}
