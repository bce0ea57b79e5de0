/* SPDX-License-Identifier: MIT */
/*
 * fuzz_conn.c - any bytes as a server's replies, in any order of the calls that locks and drivers may make.
 * The conn stays within its buffers (each is an object of exactly its size) and its queue within its bounds,
 * and it completes every request once.
 *
 * Input: pairs of an operation and its argument; the bytes of a reply follow their pair.
 */
#include "lock/lock_legacy.h"
#include "lock/lock_op.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { REQS = 4, PIECE = 16, QUEUE = 512 };

static uint64_t queue[QUEUE / 8];

static void must(int holds)
{
    if (!holds)
        abort();
}

static struct rdl_conn conn;
static struct rdl_req reqs[REQS];
static char values[REQS][RDL_PEER_MAX];
static uint64_t now;

static void submit(uint8_t arg)
{
    static const struct rdl_op *const ops[] = {&rdl_op_acquire, &rdl_op_extend, &rdl_op_release,
                                               &rdl_op_acquire};
    static const char value[] = "0123456789abcdef0123456789abcdef01234567";
    struct rdl_req *req = &reqs[arg % REQS];
    struct rdl_command cmd;

    if (req->is_queued)
        return;
    memset(&cmd, 0, sizeof cmd);
    cmd.op = ops[arg / REQS % 4];
    cmd.name.data = "lock:name";
    cmd.name.len = (size_t)1 + arg / 16 % 9;
    cmd.value.data = value;
    cmd.value.len = RDL_VALUE_MAX;
    cmd.until_ms = now + 1000;
    cmd.ttl_ms = 1000;
    memset(req, 0, sizeof *req);
    req->text = values[arg % REQS];
    must(rdl_conn_submit(&conn, req, &cmd) == (req->is_queued ? RDL_OK : RDL_E_FULL));
}

/* Up to arg bytes from data arrive, a piece at a time; returns how many of them. */
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

static void transmit(uint8_t arg)
{
    uint8_t *chunk; /* an object of its own, so that the sanitizer watches both of its ends */
    size_t cap = 1 + arg;
    size_t n;

    if (!(rdl_conn_wants(&conn) & RDL_WANT_WRITE))
        return;
    chunk = malloc(cap);
    must(chunk != NULL);
    n = rdl_conn_tx(&conn, chunk, cap);
    must(n <= cap);
    if (n > 0)
        rdl_conn_tx_done(&conn, 1 + arg % n);
    free(chunk);
}

static void check(void)
{
    size_t i;

    must(conn.base <= conn.head && conn.head <= conn.next_to_send && conn.next_to_send <= conn.tail &&
         conn.tail <= QUEUE);
    for (i = 0; i < REQS; i++)
        must(reqs[i].answer <= RDL_ANSWER_UNSENT &&
             (reqs[i].answer == RDL_ANSWER_NONE || !reqs[i].is_queued));
    must(rdl_conn_state(&conn) <= RDL_CONN_FAILED);
}

static size_t step(uint8_t op, uint8_t arg, const uint8_t *data, size_t size)
{
    unsigned wants = rdl_conn_wants(&conn);

    switch (op % 8) {
    case 0:
        now += arg;
        rdl_conn_tick(&conn, now);
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
        submit(arg);
        break;
    case 4:
        rdl_conn_abandon(&conn, &reqs[arg % REQS]);
        must(!reqs[arg % REQS].is_queued);
        break;
    case 5:
        transmit(arg);
        break;
    case 6:
        while (rdl_conn_wants(&conn) & RDL_WANT_WRITE)
            transmit(255);
        break;
    default:
        return receive(data, size, arg);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct rdl_endpoint endpoint;
    static struct rdl_conn_config cfg;
    static char text[RDL_TEXT_MAX];
    size_t at = 1;

    if (size < 1)
        return 0;
    memset(&endpoint, 0, sizeof endpoint);
    memset(reqs, 0, sizeof reqs);
    endpoint.db = data[0] & 1;
    endpoint.password.data = "secret";
    endpoint.password.len = data[0] & 2 ? 6 : 0;
    endpoint.client_name.data = "fuzz";
    endpoint.client_name.len = data[0] & 4;
    memset(&cfg, 0, sizeof cfg);
    cfg.endpoint = &endpoint;
    cfg.methods = &rdl_methods_all;
    cfg.login = &rdl_login;
    cfg.queue = queue;
    cfg.queue_len = QUEUE;
    cfg.text = text;
    now = 1;
    rdl_conn_init(&conn, &cfg);
    while (size - at >= 2) {
        size_t used = step(data[at], data[at + 1], data + at + 2, size - at - 2);

        at += 2 + used;
        check();
    }
    return 0;
}
