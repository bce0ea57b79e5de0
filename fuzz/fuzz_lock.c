/* SPDX-License-Identifier: MIT */
/*
 * fuzz_lock.c - two locks on one conn, in each mode; the server's bytes and the clock's steps come from the
 * input. Whatever the server sends: a lease is never longer than its ttl, a failed acquire holds nothing,
 * time alone never lengthens a lease, and an operation ends by its deadline.
 *
 * Input: the mode, then pairs of an operation and its argument; the bytes of a reply follow their pair.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/sim/any_lock.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LOCKS = 2, TTL = 1000, PIECE = 16 };

static uint64_t queue[1024 / 8];
static struct rdl_conn conn;
static union any_lock locks[LOCKS];
static uint8_t doing[LOCKS]; /* 0: nothing, else the operation begun */
static uint64_t now;

enum { ACQUIRE = 1, EXTEND, RELEASE };

static void must(int holds)
{
    if (!holds)
        abort();
}

/* A result of lock i's operation. */
static void ended(size_t i, int result)
{
    uint32_t left = rdl_lock_remaining_ms(&locks[i].lock, now);

    if (result == RDL_PENDING)
        return;
    must(left <= TTL);
    if (doing[i] == ACQUIRE)
        must(result >= 0 ? left > 0 : left == 0);
    if (doing[i] == RELEASE)
        must(left == 0);
    must(strcmp(rdl_strerror(result), "unknown result") != 0);
    doing[i] = 0;
}

static void begin(uint8_t arg)
{
    static const uint8_t entropy[RDL_ENTROPY_LEN] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    size_t i = arg % LOCKS;
    int what = arg / LOCKS % 3 + ACQUIRE;

    if (doing[i] != 0 || (what == ACQUIRE && rdl_lock_remaining_ms(&locks[i].lock, now) > 0))
        return;
    doing[i] = (uint8_t)what;
    ended(i, what == ACQUIRE  ? rdl_lock_acquire_begin(&locks[i].lock, entropy, now)
             : what == EXTEND ? rdl_lock_extend_begin(&locks[i].lock, TTL, now)
                              : rdl_lock_release_begin(&locks[i].lock, now));
}

static void pass(uint64_t ms)
{
    size_t i;

    for (i = 0; i < LOCKS; i++)
        must(rdl_lock_remaining_ms(&locks[i].lock, now + ms) <= rdl_lock_remaining_ms(&locks[i].lock, now));
    now += ms;
    rdl_conn_tick(&conn, now);
}

static void transmit(uint8_t arg)
{
    uint8_t chunk[256];
    size_t n = rdl_conn_wants(&conn) & RDL_WANT_WRITE ? rdl_conn_tx(&conn, chunk, 1u + arg) : 0;

    if (n > 0)
        rdl_conn_tx_done(&conn, arg == 255 ? n : 1 + arg % n);
}

static size_t receive(const uint8_t *data, size_t size, uint8_t arg)
{
    size_t n = arg < size ? arg : size;
    size_t done = 0;

    while (done < n && (rdl_conn_wants(&conn) & RDL_WANT_READ)) {
        size_t piece = n - done < PIECE ? n - done : PIECE;

        rdl_conn_rx(&conn, data + done, piece);
        done += piece;
    }
    return n;
}

static size_t act(uint8_t op, uint8_t arg, const uint8_t *data, size_t size)
{
    unsigned wants = rdl_conn_wants(&conn);

    switch (op % 8) {
    case 0:
        pass(arg);
        break;
    case 1:
        if (wants & RDL_WANT_OPEN)
            rdl_conn_opened(&conn);
        break;
    case 2:
        if (wants & (RDL_WANT_OPEN | RDL_WANT_READ | RDL_WANT_CLOSE))
            rdl_conn_closed(&conn, RDL_E_CLOSED);
        break;
    case 3:
        begin(arg);
        break;
    case 4:
        rdl_lock_cancel(&locks[arg % LOCKS].lock);
        must(rdl_lock_remaining_ms(&locks[arg % LOCKS].lock, now) == 0);
        doing[arg % LOCKS] = 0;
        break;
    case 5:
        transmit(arg);
        break;
    case 6:
        if (doing[arg % LOCKS] != 0)
            ended(arg % LOCKS, rdl_lock_step(&locks[arg % LOCKS].lock, now));
        break;
    default:
        return receive(data, size, arg);
    }
    return 0;
}

/* Every pending operation ends, even if no more bytes arrive. */
static void drain(void)
{
    int rounds;
    size_t i;

    for (rounds = 0; rounds < 200; rounds++) {
        pass(50);
        if (rdl_conn_wants(&conn) & RDL_WANT_CLOSE)
            rdl_conn_closed(&conn, RDL_E_CLOSED);
        for (i = 0; i < LOCKS; i++)
            if (doing[i] != 0)
                ended(i, rdl_lock_step(&locks[i].lock, now));
    }
    must(doing[0] == 0 && doing[1] == 0);
    for (i = 0; i < LOCKS; i++)
        rdl_lock_cancel(&locks[i].lock);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum any_mode modes[] = {MODE_PLAIN, MODE_FENCED, MODE_LEGACY,          MODE_LEGACY_INTEGER,
                                          MODE_PLAIN, MODE_FENCED, MODE_LEGACY_SHORTEST, MODE_LEGACY_INTEGER};
    static const struct rdl_lock_options options = {.ttl_ms = TTL, .attempt_ms = 100};
    static const struct rdl_endpoint endpoint;
    static struct rdl_conn_config cfg;
    static char text[RDL_TEXT_MAX];
    size_t at = 1;
    size_t i;

    if (size < 1)
        return 0;
    memset(&cfg, 0, sizeof cfg);
    cfg.endpoint = &endpoint;
    cfg.methods = &rdl_methods_all;
    cfg.login = &rdl_login;
    cfg.queue = queue;
    cfg.queue_len = sizeof queue;
    cfg.text = text;
    now = 1000;
    rdl_conn_init(&conn, &cfg);
    for (i = 0; i < LOCKS; i++) {
        any_lock_init(&locks[i], modes[data[0] % 8], &options, &conn, "lock:a", 5 + i);
        doing[i] = 0;
    }
    while (size - at >= 2) {
        at += 2 + act(data[at], data[at + 1], data + at + 2, size - at - 2);
    }
    drain();
    return 0;
}
