/* SPDX-License-Identifier: MIT */
/*
 * bench_split.c [SECONDS] - clients, a process each, want one lock on five servers and split their votes: do
 * they always make progress? Two clients for SECONDS (60), then 64 for a sixth of it.
 *
 * It prints the acquisitions per second, the fewest of one client, the longest time without an acquisition,
 * and how often two clients held the lock at once. That must be 0, and no key may be left. The lock must be
 * acquired, with two clients by each within PATIENCE_MS, and every client must end.
 */
#define _GNU_SOURCE
#include "tests/bench/bench_live.h"
#include "tests/fixtures/quorum.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CLIENTS_MAX = 64, PATIENCE_MS = 10000 };

/* Shared by the processes. */
static struct board {
    atomic_int stop, inside, violations, failed;
    atomic_ullong last_ms, longest_ms; /* the last acquisition; the longest time between two */
    unsigned count[CLIENTS_MAX];
} * board;

static int seconds = 60;

static void note(unsigned i)
{
    unsigned long long now_ms = client_now();
    unsigned long long gap_ms = now_ms - atomic_exchange(&board->last_ms, now_ms);

    if (atomic_fetch_add(&board->inside, 1) != 0)
        atomic_fetch_add(&board->violations, 1);
    if (gap_ms < UINT32_MAX && gap_ms > atomic_load(&board->longest_ms))
        atomic_store(&board->longest_ms, gap_ms);
    board->count[i]++;
    atomic_fetch_sub(&board->inside, 1);
}

static void client(unsigned i)
{
    static struct party party;

    party_init(&party);
    party.opt.lease.attempt_ms = 0;
    party.opt.lease.wait_ms = PATIENCE_MS;
    party.opt.lease.retry_ms = 2;
    while (!atomic_load(&board->stop)) {
        if (party_acquire(&party) != RDL_OK) {
            atomic_fetch_add(&board->failed, 1);
            continue;
        }
        note(i);
        party_release(&party);
    }
    rdl_redlock_drain(&party.lock, &client_platform, client_now() + PATIENCE_MS);
    _exit(0);
}

/* The number of clients that ended other than by client()'s exit. */
static unsigned broke_down(const pid_t *pids, unsigned clients)
{
    unsigned n = 0;

    for (unsigned i = 0; i < clients; i++) {
        int status = -1;

        if (waitpid(pids[i], &status, 0) != pids[i] || status != 0)
            n++;
    }
    return n;
}

static void play(unsigned clients, int for_s)
{
    unsigned least = UINT32_MAX, sum = 0, broken;
    pid_t pids[CLIENTS_MAX];

    memset(board, 0, sizeof *board);
    atomic_store(&board->last_ms, client_now());
    for (unsigned i = 0; i < clients; i++) {
        pids[i] = live_fork();
        if (pids[i] == 0)
            client(i);
    }
    sleep((unsigned)for_s);
    atomic_store(&board->stop, 1);
    broken = broke_down(pids, clients);
    for (unsigned i = 0; i < clients; i++) {
        sum += board->count[i];
        least = board->count[i] < least ? board->count[i] : least;
    }
    printf("%2u clients, %d s: %.0f acquisitions/s, one client at least %u, longest gap %llu ms, %d at once, "
           "%d keys left\n",
           clients, for_s, (double)sum / for_s, least, atomic_load(&board->longest_ms),
           atomic_load(&board->violations), quorum_keys());
    fflush(stdout);
    ck_assert_msg(broken == 0, "%u of %u clients broke down", broken, clients);
    ck_assert_int_eq(atomic_load(&board->violations), 0);
    ck_assert_uint_gt(sum, 0);
    ck_assert_int_eq(clients == 2 ? atomic_load(&board->failed) : 0, 0);
    ck_assert_int_eq(quorum_keys(), 0);
}

START_TEST(clients_who_split_their_votes_always_make_progress)
{
    quorum_start(5);
    play(2, seconds);
    play(CLIENTS_MAX, seconds > 6 ? seconds / 6 : 1);
    quorum_stop();
}
END_TEST

int main(int argc, char **argv)
{
    if (argc > 1)
        seconds = atoi(argv[1]);
    board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (board == MAP_FAILED) {
        perror("bench_split: mmap");
        return 1;
    }
    return bench_run(clients_who_split_their_votes_always_make_progress);
}
