/* SPDX-License-Identifier: MIT */
/*
 * slots.c - at most N holders: an acquire of a redlock that takes any free one of N names.
 *
 * The redlock makes the attempts, with its own tokens, pauses and deadline. Before each attempt begins, this
 * file reads which slots are free on one server, and then gives the redlock the name of one of them. Safety
 * does not depend on what was read: every attempt is a vote about one name.
 */
#include "redlock/slots.h"
#include "redlock/redlock_private.h"
#include "resp/resp_bytes.h"

/* ---------------------------------------------------------------- the request */

/* The ttl_ms of a read has none: its bytes are these, from the lowest on. */
enum { READ_N, READ_NAME_LEN = 8, READ_CHOICE = 16 };

static unsigned read_part(const struct rdl_record *r, unsigned shift)
{
    return r->ttl_ms >> shift & 0xff;
}

/* Adds a slot's number to the name before it. Returns the length of all. */
static size_t add_number(char *name, size_t len, uint32_t slot)
{
    return len + rdl_dec_u32(name + len, slot);
}

/* Writes MGET: its beginning, then one name after the other, so that only one is in memory. */
static void mget_write(struct rdl_slice *w, struct rdl_bytes slot, const struct rdl_record *r)
{
    static const char one_name[] = "$k";
    char name[RDL_NAME_MAX];
    const size_t len = read_part(r, READ_NAME_LEN);
    const unsigned n = read_part(r, READ_N);
    struct rdl_bytes arg = {NULL, n + 1};
    struct rdl_args args = {"a", &arg, 1};
    unsigned i;

    rdl_slice_write(w, rdl_wire_mget, &args);
    rdl_copy(name, slot.data, len);
    args.letters = "k";
    arg.data = name;
    for (i = 0; i < n; i++) {
        arg.len = add_number(name, len, i);
        rdl_slice_write(w, one_name, &args);
    }
}

static void read_write_args(struct rdl_slice *w, const char *const *commands,
                            const struct rdl_bytes own[RDL_LETTERS], const struct rdl_conn *c,
                            const struct rdl_record *r)
{
    const struct rdl_args args = {RDL_RECORD_LETTERS, own, RDL_LETTERS};

    (void)c;
    for (; *commands != NULL; commands++) {
        if (*commands == rdl_wire_mget)
            mget_write(w, own[RDL_LETTER_K], r);
        else
            rdl_slice_write(w, *commands, &args);
    }
}

/* Keeps a bit for each key in rdl_conn.reply_value, which is -1 before: 0 if there is no such key. */
static void read_take(struct rdl_conn *c, const struct rdl_record *r, const struct rdl_resp_event *ev)
{
    (void)r;
    if (ev->kind == RDL_RESP_ARRAY || !ev->last || c->reply_items >= RDL_SLOTS_MAX)
        return;
    if (ev->kind == RDL_RESP_NIL)
        c->reply_value = (int64_t)((uint64_t)c->reply_value & ~(UINT64_C(1) << c->reply_items));
    c->reply_items++;
}

/* Returns a free slot, chosen by the record's random number; n: there is none. */
static unsigned choose_slot(uint64_t held, unsigned n, unsigned random)
{
    unsigned n_free = 0;
    unsigned i;

    for (i = 0; i < n; i++)
        n_free += (held >> i & 1) == 0;
    if (n_free == 0)
        return n;
    random %= n_free;
    for (i = 0; (held >> i & 1) != 0 || random-- > 0; i++) {
    }
    return i;
}

static int read_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    const unsigned n = read_part(r, READ_N);
    unsigned slot;

    if (r->replies > 0) { /* PTTL */
        rdl_record_complete(r, c->reply_kind == RDL_RESP_INT ? c->reply_value : -2);
        return RDL_OK;
    }
    if (c->reply_kind != RDL_RESP_ARRAY)
        return rdl_reply_error(c, r);
    if (c->reply_items != n)
        return RDL_E_UNEXPECTED;
    slot = choose_slot((uint64_t)c->reply_value, n, read_part(r, READ_CHOICE));
    r->verdict = slot < n ? RDL_ANSWER_YES : RDL_ANSWER_NO;
    if (slot < n)
        rdl_record_complete(r, slot);
    return RDL_OK;
}

static const struct rdl_method read_method = {.commands = RDL_COMMANDS(rdl_wire_mget, rdl_wire_pttl),
                                              .write_args = read_write_args,
                                              .on_reply = read_on_reply,
                                              .take = read_take};
const struct rdl_op rdl_op_read_slots = {.methods = RDL_METHOD(&read_method)};

/* ---------------------------------------------------------------- reading */

enum slots_stage {
    SLOTS_IDLE,  /* the redlock alone works */
    SLOTS_FIRST, /* the first read; the redlock's acquire has not begun */
    SLOTS_ON     /* the redlock's acquire goes on */
};

/* Gives the redlock this slot's name. No attempt is in progress. */
static void point_to(struct rdl_slots *s, uint32_t slot)
{
    s->slot = (uint8_t)slot;
    s->lock->name_len = (uint8_t)add_number(s->name, s->name_len, slot);
}

static uint8_t last_attempt(const struct rdl_slots *s)
{
    return s->lock->token.bytes[RDL_TOKEN_LEN - 1];
}

static int submit_read(struct rdl_slots *s, struct rdl_conn *conn)
{
    const struct rdl_redlock *r = s->lock;
    struct rdl_command cmd;

    rdl_zero(&cmd, sizeof cmd);
    cmd.op = &rdl_op_read_slots;
    cmd.name = (struct rdl_bytes){r->name, r->name_len};
    cmd.ttl_ms = (uint32_t)s->n << READ_N | (uint32_t)s->name_len << READ_NAME_LEN |
                 (rdl_random(&s->seed) & 0xff) << READ_CHOICE;
    if (rdl_conn_waiting(conn) >= RDL_WAITING_MAX)
        return RDL_E_FULL;
    rdl_conn_set_timeout(conn, rdl_attempt_ms_for_rtt(&r->opt->lease, conn->rtt_ms));
    return rdl_conn_submit(conn, &s->read, &cmd);
}

/* Reads the next server that is connected and whose vote counts, if there is one. */
static void begin_read(struct rdl_slots *s, uint64_t now_ms)
{
    struct rdl_redlock *r = s->lock;
    unsigned i;

    for (i = 0; i < r->n && !s->is_reading; i++) {
        struct rdl_conn *conn = r->servers[s->reader].conn;
        s->asked = s->reader;
        s->reader = (uint8_t)((s->reader + 1) % r->n);
        s->is_reading = rdl_conn_state(conn) == RDL_CONN_READY &&
                        rdl_redlock_counts_at(r, s->asked) <= now_ms && submit_read(s, conn) == RDL_OK;
    }
    if (!s->is_reading)
        return;
    if (s->full == 0) /* all reads before an attempt have the time of one */
        s->until_ms = now_ms + rdl_redlock_attempt_ms(r);
    if (s->stage == SLOTS_ON) { /* the redlock's attempt begins after it */
        r->state = REDLOCK_PAUSE;
        r->wake_ms = s->until_ms;
        rdl_redlock_wake_by(r, r->deadline_ms);
    }
}

static void stop_reading(struct rdl_slots *s)
{
    if (s->is_reading)
        rdl_conn_abandon(s->lock->servers[s->asked].conn, &s->read);
    s->is_reading = 0;
}

/* Waits until a slot expires, or until a retry: all are held. */
static void pause_redlock(struct rdl_slots *s, uint64_t now_ms)
{
    struct rdl_redlock *r = s->lock;
    uint32_t keys_ms = UINT32_MAX;

    if (s->free_ms > now_ms && s->free_ms - now_ms < UINT32_MAX)
        keys_ms = (uint32_t)(s->free_ms - now_ms);
    rdl_count_up(&r->refused);
    r->result = RDL_BUSY;
    r->wake_ms = now_ms + rdl_pause_ms(&r->seed, r->opt->lease.retry_ms, r->tries, keys_ms);
    if (r->tries < UINT8_MAX)
        r->tries++;
    rdl_redlock_wake_by(r, r->deadline_ms);
}

/* Notes what a server that has no free slot says about one of them. */
static void note_expiry(struct rdl_slots *s, uint64_t now_ms)
{
    uint64_t at_ms = now_ms + (uint64_t)s->read.value;

    if (s->read.value >= 0 && (s->free_ms <= now_ms || at_ms < s->free_ms))
        s->free_ms = at_ms;
    point_to(s, (s->slot + 1u) % s->n); /* the next read asks about the next one */
}

/* Decides what follows a read: an attempt, the read of another server, or a pause. */
static void take_read(struct rdl_slots *s, uint64_t now_ms)
{
    struct rdl_redlock *r = s->lock;
    int answer = s->read.answer;

    stop_reading(s);
    if (answer == RDL_ANSWER_NO) {
        note_expiry(s, now_ms);
        s->full++;
        if (s->full < rdl_redlock_quorum(r))
            begin_read(s, now_ms);
        if (s->is_reading)
            return;
    }
    if (s->full >= rdl_redlock_quorum(r) && s->stage == SLOTS_ON && r->tries > 0) {
        s->full = 0;
        if (s->is_once)
            rdl_redlock_finish(r, RDL_BUSY);
        else
            pause_redlock(s, now_ms);
        return;
    }
    s->full = 0;
    point_to(s, answer == RDL_ANSWER_YES ? (uint32_t)s->read.value : rdl_random(&s->seed) % s->n);
    if (r->tries > 1 && answer == RDL_ANSWER_YES) /* a slot was released: the pauses begin again */
        r->tries = 1;
    s->read_for = last_attempt(s);
    r->wake_ms = now_ms;
}

/* Returns 1 if the redlock is about to begin an attempt before which no server was read. */
static int is_read_due(const struct rdl_slots *s, uint64_t now_ms)
{
    const struct rdl_redlock *r = s->lock;

    if (s->is_reading || s->read_for == last_attempt(s))
        return 0;
    if (r->state == REDLOCK_PAUSE)
        return now_ms >= r->wake_ms && (r->tries == 0 || now_ms < r->deadline_ms);
    return r->state == REDLOCK_CONNECT;
}

/* ---------------------------------------------------------------- operations */

int rdl_slots_init(struct rdl_slots *s, struct rdl_redlock *lock, unsigned n)
{
    const struct rdl_bytes name = {lock->name, lock->name_len};

    RDL_ASSERT(lock->state == REDLOCK_IDLE);
    rdl_zero(s, sizeof *s);
    s->lock = lock;
    s->n = (uint8_t)n;
    if (lock->n < 1)
        return lock->result;
    if (n < 1 || n > RDL_SLOTS_MAX || lock->opt->fencing != NULL) {
        lock->n = 0;
        lock->result = RDL_E_CONFIG;
        return RDL_E_CONFIG;
    }
    if (name.len < 1 || name.len > RDL_SLOTS_NAME_MAX) {
        lock->name_len = 0;
        return RDL_E_NAME;
    }
    s->name_len = (uint8_t)rdl_side_key(s->name, name, "#");
    lock->name = s->name;
    point_to(s, 0);
    return RDL_OK;
}

/* Ends the acquire; the redlock goes on alone. */
static void end_acquire(struct rdl_slots *s)
{
    stop_reading(s);
    if (s->is_once)
        s->lock->opt = s->opt;
    s->is_once = 0;
    s->stage = SLOTS_IDLE;
}

/* With one attempt the redlock may make one for each slot, within its time, as long as one may be free. */
static void allow_retries(struct rdl_slots *s)
{
    s->opt = s->lock->opt;
    s->is_once = (uint8_t)rdl_is_one_attempt(&s->opt->lease);
    if (!s->is_once)
        return;
    s->once = *s->opt;
    s->once.lease.wait_ms = rdl_conn_connect_ms(s->lock->servers[0].conn);
    s->once.lease.retry_ms = 1;
    s->lock->opt = &s->once;
}

/* Begins the redlock's acquire after the first read, whose time counts, too. */
static int begin_attempts(struct rdl_slots *s, uint64_t now_ms)
{
    struct rdl_redlock *r = s->lock;
    int rc = rdl_redlock_acquire_begin(r, s->entropy, now_ms);

    s->stage = SLOTS_ON;
    if (rc != RDL_PENDING || r->deadline_ms == UINT64_MAX)
        return rc;
    r->deadline_ms -= now_ms - s->begun_ms;
    if (r->state == REDLOCK_PAUSE || r->state == REDLOCK_CONNECT)
        rdl_redlock_wake_by(r, r->deadline_ms);
    return rc;
}

int rdl_slots_acquire_begin(struct rdl_slots *s, const uint8_t entropy[RDL_ENTROPY_LEN], uint64_t now_ms)
{
    struct rdl_redlock *r = s->lock;

    RDL_ASSERT(s->stage == SLOTS_IDLE && rdl_redlock_remaining_ms(r, now_ms) == 0);
    if (r->n < 1 || r->name_len < 1)
        return rdl_redlock_acquire_begin(r, entropy, now_ms); /* why the set-up failed */
    rdl_redlock_cancel(r); /* before the name changes: what it still has to release has the old one */
    rdl_copy(s->entropy, entropy, sizeof s->entropy);
    s->seed = rdl_token_seed(entropy);
    s->reader = (uint8_t)(rdl_random(&s->seed) % r->n);
    s->begun_ms = now_ms;
    s->full = 0;
    s->free_ms = 0;
    allow_retries(s);
    s->stage = SLOTS_FIRST;
    point_to(s, rdl_random(&s->seed) % s->n);
    begin_read(s, now_ms);
    return rdl_slots_step(s, now_ms);
}

int rdl_slots_step(struct rdl_slots *s, uint64_t now_ms)
{
    struct rdl_redlock *r = s->lock;
    int rc;

    if (s->stage == SLOTS_IDLE)
        return rdl_redlock_step(r, now_ms);
    if (s->is_reading && (s->read.answer != RDL_ANSWER_NONE || now_ms >= s->until_ms))
        take_read(s, now_ms);
    else if (s->stage == SLOTS_ON && is_read_due(s, now_ms))
        begin_read(s, now_ms);
    rc = s->stage == SLOTS_FIRST && !s->is_reading ? begin_attempts(s, now_ms) : rdl_redlock_step(r, now_ms);
    if (s->stage == SLOTS_FIRST)
        return RDL_PENDING;
    if (rc == RDL_PENDING && s->is_once && r->state == REDLOCK_PAUSE && r->tries > 0 &&
        (r->result != RDL_BUSY || r->tries >= s->n))
        rc = rdl_redlock_finish(r, r->result);
    if (rc != RDL_PENDING)
        end_acquire(s);
    return rc;
}

uint64_t rdl_slots_wake_ms(const struct rdl_slots *s)
{
    uint64_t at_ms = rdl_redlock_wake_ms(s->lock);

    return s->stage == SLOTS_FIRST && s->until_ms < at_ms ? s->until_ms : at_ms;
}

void rdl_slots_cancel(struct rdl_slots *s)
{
    end_acquire(s);
    rdl_redlock_cancel(s->lock);
}

/* ---------------------------------------------------------------- blocking */

int rdl_slots_acquire(struct rdl_slots *s, const struct rdl_platform *platform)
{
    struct rdl_conn *conns[RDL_SERVERS_MAX];
    const size_t n = s->lock->n;
    uint8_t entropy[RDL_ENTROPY_LEN];
    size_t i;
    int rc;

    for (i = 0; i < n; i++)
        conns[i] = s->lock->servers[i].conn;
    if (platform->random(platform->ctx, entropy, sizeof entropy) != RDL_OK) {
        rdl_slots_cancel(s); /* also a lease that ran out has ended when this returns */
        return RDL_E_RANDOM;
    }
    rc = rdl_slots_acquire_begin(s, entropy, rdl_redlock_begin_ms(s->lock, platform, RDL_ACQUIRE));
    while (rc == RDL_PENDING) {
        rc = platform->poll(platform->ctx, conns, n, rdl_slots_wake_ms(s), RDL_POLL_CAN_WAKE);
        if (rc == RDL_OK)
            rc = rdl_slots_step(s, rdl_now(platform));
        else
            rdl_slots_cancel(s);
    }
    if (n > 0)
        (void)platform->poll(platform->ctx, conns, n, 0, 0); /* the caller may exit now */
    return rc;
}
