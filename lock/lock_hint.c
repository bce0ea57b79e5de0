/* SPDX-License-Identifier: MIT */
/*
 * lock_hint.c - waiting for a hint that the lock is free, on a connection of its own.
 *
 * A hint only shortens a pause between two attempts. That it may be lost, late, doubled or a lie costs time
 * and an attempt, never the lock: SET NX alone says whose that is.
 */
#include "lock/lock.h"

enum {
    LATE_MS = 3000, /* a server that ends its wait later than so is not going to */
    VAIN_MAX = 16   /* hints in a row without the lock: somebody else fills the list */
};

static void drop(struct rdl_hint *h)
{
    rdl_conn_forget(h->conn, &h->req);
    if (h->req.answer != RDL_ANSWER_UNSENT) /* else the server would give the next hint to nobody */
        rdl_conn_shut(h->conn, RDL_E_TIMEOUT);
    h->req.answer = RDL_ANSWER_NONE;
}

static int is_usable(struct rdl_hint *h, uint64_t now_ms)
{
    if (h->conn == NULL)
        return 0;
    rdl_conn_upkeep(h->conn, now_ms);
    if (h->req.is_queued && now_ms > h->ends_ms + LATE_MS)
        drop(h);
    if (rdl_conn_state(h->conn) != RDL_CONN_READY) {
        h->is_refused = h->vain = 0;
        return 0;
    }
    return !h->is_refused;
}

static int hint_came(struct rdl_hint *h)
{
    uint8_t answer = h->req.answer;

    if (answer == RDL_ANSWER_NONE)
        return 0;
    h->req.answer = RDL_ANSWER_NONE;
    if (answer == RDL_ANSWER_YES)
        h->vain++;
    else
        h->vain = answer == RDL_ANSWER_NO ? 0 : VAIN_MAX;
    h->is_refused = answer == RDL_ANSWER_ERROR && rdl_is_permanent(h->req.error);
    return 1;
}

/* A wait of at most wait_ms is on. */
static int begin(struct rdl_hint *h, struct rdl_bytes name, uint32_t wait_ms, uint64_t now_ms)
{
    const struct rdl_bytes none = {NULL, 0};
    const struct rdl_command wait = {&rdl_op_wait, name, none, none, UINT64_MAX, wait_ms};

    if (h->req.answer != RDL_ANSWER_YES)
        (void)hint_came(h); /* of no use by now, but what it says of the server is */
    if (!is_usable(h, now_ms))
        return 0;
    if (h->req.is_queued || h->req.answer == RDL_ANSWER_YES)
        return 1; /* the server's clock is slower than ours, or counts whole seconds: that wait goes on */
    if (h->vain >= VAIN_MAX || !rdl_conn_is_idle(h->conn)) {
        h->vain = 0;
        return 0;
    }
    if (rdl_conn_submit(h->conn, &h->req, &wait) != RDL_OK)
        return 0;
    h->ends_ms = now_ms + wait_ms;
    return 1;
}

static uint64_t hint_begin(struct rdl_hint *h, struct rdl_bytes name, int64_t holder_ms, uint64_t left_ms,
                           uint64_t now_ms)
{
    uint64_t most_ms = left_ms < RDL_HINT_CAP_MS ? left_ms : RDL_HINT_CAP_MS;

    if (holder_ms >= 0 && (uint64_t)holder_ms < most_ms)
        most_ms = (uint64_t)holder_ms + 1;
    if (!begin(h, name, (uint32_t)most_ms, now_ms))
        return UINT64_MAX;
    return hint_came(h) ? 0 : most_ms;
}

static void hint_end(struct rdl_hint *h)
{
    if (h->req.is_queued)
        drop(h);
    h->vain = 0;
}

static const struct rdl_hint_way way = {hint_begin, hint_came, hint_end, &rdl_op_release_wake};

void rdl_hint_init(struct rdl_hint *h, struct rdl_conn *conn)
{
    static const struct rdl_hint blank = {0};

    *h = blank;
    h->way = &way;
    h->conn = conn;
}
