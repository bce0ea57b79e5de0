/* SPDX-License-Identifier: MIT */
/* image_queue.c - two locks over one conn, and acquires without a reply: a queue that is full. */
#include "lock/lock.h"
#include "net/net_op.h"
#include "tests/targets/image.h"

#include <stdio.h>
#include <string.h>

enum { LOCKS = 2, TX_PIECE = 7, SENT_MAX = 1024 };

static const struct rdl_endpoint endpoint; /* no login */
static uint64_t queue[RDL_QUEUE_FOR(LOCKS, 5) / 8];
static const struct rdl_conn_config config = {
    .endpoint = &endpoint, .methods = &rdl_methods_script, .queue = queue, .queue_len = sizeof queue};
static const struct rdl_lock_options opt = {.ttl_ms = 10000};
static const char *const names[LOCKS] = {"jobs", "mails"};
static struct rdl_conn conn;
static struct rdl_lock lock[LOCKS];
static int failed;

static void expect(int is_so, const char *what)
{
    if (!is_so)
        printf("image_queue.c: not so: %s\n", what);
    failed += !is_so;
}

static void connect_at(uint64_t now_ms)
{
    uint64_t at_ms = rdl_conn_tick(&conn, now_ms);

    if (rdl_conn_state(&conn) == RDL_CONN_CLOSED) /* it pauses first */
        rdl_conn_tick(&conn, at_ms);
    rdl_conn_opened(&conn);
}

/* The conn's output must contain the name and the token of each lock once. */
static void transmit(void)
{
    static char sent[SENT_MAX];
    size_t len = 0;
    size_t n = 1;

    while (n > 0 && len + TX_PIECE < sizeof sent) {
        n = rdl_conn_tx(&conn, (uint8_t *)sent + len, TX_PIECE);
        rdl_conn_tx_done(&conn, n);
        len += n;
    }
    sent[len] = '\0';
    for (unsigned i = 0; i < LOCKS; i++) {
        static char text[RDL_NAME_MAX + 1];
        char token[RDL_TOKEN_TEXT_MAX];
        const char *at;

        rdl_lock_token(&lock[i], token);
        sprintf(text, "\r\n%s\r\n$40\r\n%s\r\n", names[i], token);
        at = strstr(sent, text);
        expect(at != NULL && strstr(at + 1, text) == NULL, "each name and token is sent once");
    }
}

static void receive(const char *reply)
{
    for (; *reply != '\0'; reply++)
        rdl_conn_rx(&conn, (const uint8_t *)reply, 1);
}

static void acquire_both(uint64_t now_ms)
{
    for (unsigned i = 0; i < LOCKS; i++) {
        uint8_t entropy[RDL_ENTROPY_LEN] = {0};

        entropy[0] = (uint8_t)(now_ms / 1000);
        entropy[1] = (uint8_t)i;
        expect(rdl_lock_acquire_begin(&lock[i], entropy, now_ms) == RDL_PENDING, "an acquire begins");
    }
    transmit();
}

static void end_both(int result, uint64_t now_ms)
{
    for (unsigned i = 0; i < LOCKS; i++)
        expect(rdl_lock_step(&lock[i], now_ms) == result, "both end with the result");
}

int image_queue(void)
{
    rdl_conn_init(&conn, &config);
    for (unsigned i = 0; i < LOCKS; i++)
        rdl_lock_init(&lock[i], &opt, &conn, names[i], strlen(names[i]));
    connect_at(1000);
    acquire_both(1000);
    receive("+OK\r\n:10000\r\n+OK\r\n:10000\r\n");
    end_both(RDL_OK, 1003);
    for (unsigned i = 0; i < LOCKS; i++)
        expect(rdl_lock_release_begin(&lock[i], 2000) == RDL_PENDING, "a release begins");
    transmit();
    receive(":1\r\n:1\r\n");
    end_both(RDL_OK, 2003);

    acquire_both(3000);
    end_both(RDL_UNKNOWN, 3250);
    expect(rdl_conn_waiting(&conn) == 2 * LOCKS, "the releases of both are pending");
    rdl_conn_closed(&conn, RDL_E_CLOSED);
    connect_at(3300);
    transmit();
    receive(":-1\r\n:-1\r\n");
    expect(rdl_conn_is_idle(&conn), "nothing is pending at the end");
    printf("locks: %d\n", LOCKS);
    return failed;
}
