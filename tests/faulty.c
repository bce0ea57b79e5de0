/* SPDX-License-Identifier: MIT */
/* faulty.c - a transport that fails at its nth operation; see faulty.h. */
#include "tests/faulty.h"

#include <check.h>
#include <string.h>

void faulty_init(struct faulty *f, const struct sim_features *features, uint64_t now_ms)
{
    static uint64_t runs; /* every start is another run_id */

    unsigned i;

    memset(f, 0, offsetof(struct faulty, reply));
    for (i = 0; i < FAULTY_LINKS; i++)
        f->links[i].len = f->links[i].done = 0;
    scripted_init(&f->s);
    sim_server_start(&f->s.model, features, ++runs, now_ms + FAULTY_CLOCK_MS);
}

void faulty_arm(struct faulty *f, enum fault fault, unsigned at, int is_for_ever)
{
    f->fault = fault;
    f->at = at;
    f->is_for_ever = is_for_ever;
    f->count = f->hits = 0;
}

void faulty_heal(struct faulty *f)
{
    f->at = 0;
    f->thaw_ms = f->late_ms = 0;
    f->is_hanging = 0;
}

/* One more operation of this kind: does it fail? */
static int fails(struct faulty *f, enum fault fault)
{
    if (f->at == 0 || f->fault != fault)
        return 0;
    f->count++;
    if (f->count < f->at || (f->count > f->at && !f->is_for_ever))
        return 0;
    f->hits++;
    return 1;
}

/* How many of n bytes pass; *is_cut: behind them the connection ends. */
static size_t pass(struct faulty *f, enum fault fault, size_t n, int *is_cut)
{
    *is_cut = f->at > f->count && f->fault == fault && n >= f->at - f->count;
    if (*is_cut)
        n = f->at - f->count;
    if (f->fault == fault)
        f->count += (unsigned)n;
    f->hits += *is_cut ? 1 : 0;
    return n;
}

/* ---------------------------------------------------------------- the client's side */

static void lose(struct faulty *f, int error)
{
    f->reply_len = 0;
    f->is_hanging = 0;
    rdl_conn_closed(&f->s.conn, error);
}

static int connect_it(struct faulty *f)
{
    struct faulty_link *k;

    if (f->is_hanging)
        return 0;
    if (fails(f, FAULT_REFUSE)) {
        lose(f, RDL_E_CONNECT);
        return 1;
    }
    f->is_hanging = fails(f, FAULT_HANG);
    if (f->is_hanging)
        return 1;
    if (f->is_for_ever && (f->fault == FAULT_CUT_SENT || f->fault == FAULT_CUT_REPLY))
        f->count = 0;
    f->link = (f->link + 1) % FAULTY_LINKS;
    k = &f->links[f->link];
    memset(&k->session, 0, sizeof k->session);
    k->len = k->done = 0;
    f->reply_len = 0;
    rdl_conn_opened(&f->s.conn);
    return 1;
}

static void arrive(struct faulty *f, const uint8_t *p, size_t n)
{
    struct faulty_link *k = &f->links[f->link];

    if (k->done == k->len)
        k->done = k->len = 0;
    if (k->len + n > sizeof k->sent)
        ck_abort_msg("more than %d bytes", FAULTY_BYTES);
    memcpy(k->sent + k->len, p, n);
    k->len += n;
}

/* One send. 0: there is nothing to send, or nothing to send it over any more. */
static int send_once(struct faulty *f, uint64_t now_ms)
{
    const uint8_t *p;
    size_t n = rdl_conn_tx(&f->s.conn, &p);
    int is_cut;

    if (n == 0)
        return 0;
    if (fails(f, FAULT_UNSENT)) {
        lose(f, RDL_E_CLOSED);
        return 0;
    }
    if (fails(f, FAULT_SHORT))
        n = 1;
    if (fails(f, FAULT_FREEZE))
        f->thaw_ms = f->is_for_ever ? UINT64_MAX : now_ms + FAULTY_LONG_MS;
    n = pass(f, FAULT_CUT_SENT, n, &is_cut);
    arrive(f, p, n);
    if (is_cut || fails(f, FAULT_SENT)) {
        lose(f, RDL_E_CLOSED);
        return 0;
    }
    rdl_conn_tx_done(&f->s.conn, n);
    return 1;
}

/* One receive, of all that is there and fits. */
static int receive_once(struct faulty *f, uint64_t now_ms)
{
    uint8_t *p;
    size_t n = rdl_conn_rx(&f->s.conn, &p);
    int is_cut;

    if (f->reply_len == 0 || f->late_ms > now_ms || !(rdl_conn_wants(&f->s.conn) & RDL_WANT_READ))
        return 0;
    if (fails(f, FAULT_LATE)) {
        f->late_ms = f->is_for_ever ? UINT64_MAX : now_ms + FAULTY_LONG_MS;
        return 0;
    }
    if (fails(f, FAULT_EOF)) {
        lose(f, RDL_E_CLOSED);
        return 1;
    }
    n = pass(f, FAULT_CUT_REPLY, n < f->reply_len ? n : f->reply_len, &is_cut);
    memcpy(p, f->reply, n);
    f->reply_len -= n;
    memmove(f->reply, f->reply + n, f->reply_len);
    rdl_conn_rx_done(&f->s.conn, n);
    if (is_cut)
        lose(f, RDL_E_CLOSED);
    return 1;
}

/* ---------------------------------------------------------------- the server's side */

/* The oldest connection first. Who has left is not answered. */
static int serve(struct faulty *f, uint64_t now_ms)
{
    static uint8_t nobody[8 * SIM_REPLY_MAX];
    int did = 0;
    unsigned i;

    if (f->thaw_ms > now_ms)
        return 0;
    for (i = 1; i <= FAULTY_LINKS; i++) {
        struct faulty_link *k = &f->links[(f->link + i) % FAULTY_LINKS];
        int is_heard = i == FAULTY_LINKS && (rdl_conn_wants(&f->s.conn) & RDL_WANT_READ) != 0;
        struct sim_out out = {is_heard ? f->reply : nobody, sizeof nobody, is_heard ? f->reply_len : 0};
        size_t used;
        if (k->done == k->len)
            continue;
        used = sim_server_input(&f->s.model, &k->session, k->sent + k->done, k->len - k->done,
                                now_ms + FAULTY_CLOCK_MS, &out);
        k->done += used;
        did |= used > 0;
        if (is_heard)
            f->reply_len = out.len;
    }
    return did;
}

int faulty_drive(struct faulty *f, uint64_t now_ms)
{
    struct rdl_conn *c = &f->s.conn;
    int did = 0;

    if (rdl_conn_wants(c) & RDL_WANT_CLOSE) {
        lose(f, rdl_conn_error(c));
        did = 1;
    }
    if (rdl_conn_wants(c) & RDL_WANT_OPEN)
        did |= connect_it(f);
    while (rdl_conn_wants(c) & RDL_WANT_WRITE) {
        int is_sent = send_once(f, now_ms);
        did |= is_sent || !(rdl_conn_wants(c) & RDL_WANT_WRITE); /* lost, or answered without a byte */
        if (!is_sent)
            break;
    }
    did |= serve(f, now_ms);
    did |= receive_once(f, now_ms);
    return did;
}

uint64_t faulty_wakes(const struct faulty *f, uint64_t now_ms)
{
    uint64_t at = f->thaw_ms > now_ms ? f->thaw_ms : UINT64_MAX;

    return f->late_ms > now_ms && f->late_ms < at ? f->late_ms : at;
}

void faulty_command(struct faulty *f, const char *inline_command, uint64_t now_ms)
{
    struct sim_session other = {0};
    uint8_t buf[2 * SIM_REPLY_MAX];
    struct sim_out out = {buf, sizeof buf, 0};

    other.is_authed = 1;
    other.db = 1;
    sim_server_input(&f->s.model, &other, (const uint8_t *)inline_command, strlen(inline_command),
                     now_ms + FAULTY_CLOCK_MS, &out);
    ck_assert_uint_gt(out.len, 0);
    ck_assert_int_ne(buf[0], '-');
}
