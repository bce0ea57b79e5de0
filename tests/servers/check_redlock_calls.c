/* SPDX-License-Identifier: MIT */
/* The cost of a lock on five servers: its system calls, counted from outside. */
#define _GNU_SOURCE
#include <check.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "lock/lock_op.h"
#include "tests/fixtures/calls.h"
#include "tests/fixtures/quorum.h"

enum { CYCLES = 20 };

static struct party party;
static struct rdl_platform platform;

/* The replies that have come when poll is called are random; here all of them have. ppoll is not counted. */
static int poll_when_all_are_in(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms,
                                size_t need, int can_wake)
{
    size_t i;

    for (i = 0; i < n; i++) {
        struct pollfd p = {rdl_posix_fd(conns[i]), POLLIN, 0};
        int is_sent = (rdl_posix_events(conns[i]) & POLLOUT) == 0 && rdl_conn_waiting(conns[i]) > 0;
        if (is_sent && ppoll(&p, 1, NULL, NULL) != 1)
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

static void cycles(void)
{
    int i;

    warm_up();
    for (i = 0; i < CYCLES; i++) {
        calls_mark();
        if (rdl_redlock_acquire(&party.lock, &platform) != RDL_OK ||
            rdl_redlock_release(&party.lock, &platform) != RDL_OK)
            _exit(1);
    }
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

Suite *suite_redlock_calls(void);

Suite *suite_redlock_calls(void)
{
    Suite *suite = suite_create("redlock_calls");
    TCase *tc = tcase_create("calls");

    tcase_add_checked_fixture(tc, NULL, quorum_stop);
    tcase_add_test(tc, a_cycle_on_five_servers_makes_23_calls_and_4_getpid);
    suite_add_tcase(suite, tc);
    return suite;
}
