/* SPDX-License-Identifier: MIT */
/*
 * Programs that use handles and connections as few programs do. Each kind is allowed, or it is refused with
 * an error. The kinds that an assertion refuses are in tests/redlock/check_misuse.c. A kind has its own class
 * of faults and random stream.
 */
#include "lock/lock_op.h"
#include "redlock/redlock_private.h"
#include "tests/sim/sim.h"

#include <string.h>

static int has(const struct world *w, enum fault f)
{
    return (w->faults & FAULT_BIT(f)) != 0 && !w->opt.is_scripted;
}

static void draw_entropy(struct rng *r, uint8_t entropy[RDL_ENTROPY_LEN])
{
    for (size_t i = 0; i < RDL_ENTROPY_LEN; i++)
        entropy[i] = (uint8_t)rng_next(r);
}

/* Nothing in the library refers to its memory (the headers' paragraphs about lifetime). */
static int is_unused(const struct handle *h)
{
    int is_held = h->is_single ? h->m->own.lock.until_ms != 0 : h->m->redlock.until_ms != 0;
    return h->is_free || (h->state == IDLE && !is_held);
}

/* ---------------------------------------------------------------- copy */

/* Between operations the program moves a lock on one server, or copies a redlock in any state. */
static void copy(struct handle *h)
{
    if (h->is_single) {
        if (is_unused(h) && h->hint_use == HINT_NONE && !h->is_multi) /* those refer to other memory there */
            handle_move(h);
        return;
    }
    h->stale = h->m->redlock;
    h->has_stale = 1;
}

/* One call with the copy. Returns its result, or RDL_E_SHARED if it has none. */
static int call(struct world *w, struct handle *h, uint64_t now_ms)
{
    struct rng *r = &w->stream[FAULT_COPY];
    struct rdl_redlock *s = &h->stale;
    int is_idle = s->state == REDLOCK_IDLE;
    uint8_t entropy[RDL_ENTROPY_LEN];
    draw_entropy(r, entropy);
    switch (rng_below(r, 6)) {
    case 0: /* a valid lease of its own would be a programming error */
        if (is_idle && s->until_ms == 0)
            return rdl_redlock_acquire_begin(s, entropy, now_ms);
        break;
    case 1:
        if (is_idle)
            return rdl_redlock_extend_begin(s, h->opt.lease.ttl_ms, now_ms);
        break;
    case 2:
        if (is_idle || s->action == RDL_EXTEND)
            return rdl_redlock_release_begin(s, now_ms);
        break;
    case 3:
        rdl_redlock_cancel(s);
        return RDL_E_SHARED;
    case 4:
        if (is_idle)
            return rdl_redlock_adopt(s, "0123456789012345678901234567890123456789", RDL_VALUE_MAX);
        break;
    default:
        break;
    }
    return rdl_redlock_step(s, now_ms);
}

/* The copy holds nothing, and does nothing, if it was made in use, or if the original was used since. */
static void use_copy(struct world *w, struct handle *h, uint64_t now_ms)
{
    int was_used = h->stale.until_ms != 0 || h->stale.state != REDLOCK_IDLE;
    if (h->stale.n == 0 || (!was_used && h->stale.user == h->m->redlock.user))
        return;
    if (rdl_redlock_remaining_ms(&h->stale, now_ms) != 0 || rdl_redlock_until_ms(&h->stale) != 0)
        world_violation(w, "misuse", "a copy of c%u.%u holds a lease", h->client, h->index);
    int result = call(w, h, now_ms);
    if (result != RDL_E_SHARED)
        world_violation(w, "misuse", "a call with a copy of c%u.%u returned %d", h->client, h->index, result);
}

static void copies(struct world *w, struct handle *h, uint64_t now_ms)
{
    struct rng *r = &w->stream[FAULT_COPY];
    int does_copy = rng_chance(r, 30), does_use = rng_chance(r, 60);
    if (h->is_free)
        return;
    if (h->has_stale && does_use)
        use_copy(w, h, now_ms);
    if (does_copy)
        copy(h);
}

/* ---------------------------------------------------------------- shared */

/*
 * A lock on one server has no restart guard. So it is there in worlds that keep a restarted server down for a
 * ttl.
 */
void misuse_apart(struct world *w, struct handle *h)
{
    int is_apart = rng_chance(&w->stream[FAULT_SHARED], 400);
    if (!has(w, FAULT_SHARED) || w->is_single || w->guard != RDL_GUARD_OFF)
        return;
    h->is_apart = h->is_single = (uint8_t)is_apart;
    if (!is_apart)
        return;
    h->mode = MODE_PLAIN;
    h->hint_use = HINT_NONE;
}

/* ---------------------------------------------------------------- remade */

static int is_quiet(const struct world *w, const struct client *c)
{
    for (int i = 0; i < w->handles; i++)
        if (!is_unused(&c->handle[i]) || c->handle[i].again)
            return 0;
    return 1;
}

static void set_up(struct world *w, struct client *c)
{
    for (int i = 0; i < w->handles; i++)
        if (!c->handle[i].is_free)
            handle_init(w, &c->handle[i]);
}

void misuse_remake(struct world *w, struct client *c, int s)
{
    struct tcp *t = c->tcp[s];
    c->tcp[s] = NULL;
    if (t)
        tcp_close(w, t);
    memset(c->queue[s], 0x5a, c->cfg[s].queue_len);
    rdl_conn_init(&c->conn[s], &c->cfg[s]);
}

/*
 * No lock is in use. The redlocks are set up again, too, or not: then that server does not count. After the
 * faults all is set up again.
 */
static void remakes(struct world *w, struct client *c)
{
    struct rng *r = &w->stream[FAULT_REMADE];
    int does = rng_chance(r, 20), s = (int)rng_below(r, (uint64_t)w->conns), is_all = rng_chance(r, 500);
    int is_late = w->now >= w->opt.heal_us;
    if (w->has_canary && w->guard == RDL_GUARD_STRICT) /* that would begin its quarantine again */
        return;
    if (!(does && !is_late) && !(c->is_remade && is_late))
        return;
    if (!is_quiet(w, c))
        return;
    world_trace(w, "c%u sets up conn %d again, %s", c->index, s, is_all ? "and its locks" : "and no lock");
    misuse_remake(w, c, s);
    for (int i = 0; is_late && i < w->conns; i++)
        misuse_remake(w, c, i);
    if (is_all || is_late)
        set_up(w, c);
    c->is_remade = !is_late;
}

/* ---------------------------------------------------------------- options */

static void change_options(struct world *w, struct handle *h)
{
    struct rng *r = &w->stream[FAULT_OPTIONS];
    int does = rng_chance(r, 50);
    struct rdl_lock_options drawn = h->opt.lease;
    client_draw_lease(w, r, &drawn);
    if (h->state == HELD && h->uses_renewal) /* its grace is for the attempts that it began with */
        return;
    if (does && !handle_is_pending(h))
        h->opt.lease = drawn;
}

/* ---------------------------------------------------------------- full */

/* Releases of another lock fill a conn's queue, most often to the end. */
static void fill(struct world *w, struct client *c, uint64_t now_ms)
{
    struct rng *r = &w->stream[FAULT_FULL];
    struct rdl_command other = {&rdl_op_release, {"filler", 6}, {"v", 1}, {NULL, 0}, now_ms + w->ttl_ms, 0};
    int does = rng_chance(r, 20), s = (int)rng_below(r, (uint64_t)w->servers);
    uint64_t n = rng_chance(r, 700) ? QUEUE_BYTES : rng_below(r, QUEUE_BYTES / 64);
    int is_slow = w->has_other_servers || w->has_legacy; /* several round trips for each */
    if (is_slow && n > 20)
        n = 20;
    if (!does || w->now + SECOND >= w->opt.heal_us || (is_slow && !rdl_conn_is_idle(&c->conn[s])))
        return;
    world_trace(w, "c%u fills the queue of conn %d", c->index, s);
    rdl_conn_set_timeout(&c->conn[s], rdl_attempt_ms(&c->handle[0].opt.lease)); /* as any lock does */
    while (n-- > 0 && rdl_conn_submit(&c->conn[s], NULL, &other) == RDL_OK) {
    }
}

/* ---------------------------------------------------------------- fork */

/* Pointers into the parent's memory become pointers into the child's, which has its own address here. */
static void relocate(struct client *child, const struct client *parent)
{
    uintptr_t from = (uintptr_t)parent, word;
    for (size_t at = 0; at + sizeof word <= sizeof *child; at += sizeof word) {
        memcpy(&word, (uint8_t *)child + at, sizeof word);
        if (word - from >= sizeof *child)
            continue;
        word = word - from + (uintptr_t)child;
        memcpy((uint8_t *)child + at, &word, sizeof word);
    }
}

/* As net_posix.c: the child's copy of a conn fails, and no byte is sent or read. */
static void forked(struct client *child, int conns, uint64_t now_ms)
{
    for (int s = 0; s < conns; s++) {
        struct rdl_conn *conn = &child->conn[s];
        rdl_conn_tick(conn, now_ms);
        if (rdl_conn_state(conn) != RDL_CONN_CLOSED)
            rdl_conn_closed(conn, RDL_E_FORKED);
    }
}

static int begin_in_child(struct rng *r, struct handle *h, uint64_t now_ms)
{
    uint64_t what = rng_below(r, 3);
    uint8_t entropy[RDL_ENTROPY_LEN];
    uint64_t left_ms = handle_remaining_ms(h, now_ms);
    draw_entropy(r, entropy);
    if (what == 0 && left_ms == 0 && !handle_is_adopting(h))
        return h->is_single ? rdl_lock_acquire_begin(&h->m->own.lock, entropy, now_ms)
                            : rdl_redlock_acquire_begin(&h->m->redlock, entropy, now_ms);
    if (what == 1)
        return h->is_single ? rdl_lock_extend_begin(&h->m->own.lock, h->opt.lease.ttl_ms, now_ms)
                            : rdl_redlock_extend_begin(&h->m->redlock, h->opt.lease.ttl_ms, now_ms);
    return h->is_single ? rdl_lock_release_begin(&h->m->own.lock, now_ms)
                        : rdl_redlock_release_begin(&h->m->redlock, now_ms);
}

/* The child ends the parent's operation, then begins one. Neither succeeds, and each ends in time. */
static void use_in_child(struct world *w, struct client *child, struct handle *h, uint64_t now_ms)
{
    struct rng *r = &w->stream[FAULT_FORK];
    uint64_t until_ms = 0, end_ms = now_ms + 60000;
    for (int op = 0; op < 2; op++) {
        if (op == 1) /* the parent's reply may have been read before the fork */
            until_ms = handle_until_ms(h);
        int rc = op == 1 ? begin_in_child(r, h, now_ms) : handle_is_pending(h) ? RDL_PENDING : RDL_LOST;
        while (rc == RDL_PENDING && now_ms < end_ms) {
            uint64_t wake_ms = handle_wake_ms(h);
            forked(child, w->conns, now_ms);
            now_ms = wake_ms > now_ms && wake_ms < end_ms ? wake_ms : now_ms + 1;
            rc = h->is_single ? rdl_lock_step(&h->m->own.lock, now_ms)
                              : rdl_redlock_step(&h->m->redlock, now_ms);
        }
        if (rc == RDL_PENDING)
            world_violation(w, "misuse", "a child's operation with c%u.%u does not end", h->client, h->index);
        if (op == 1 && handle_until_ms(h) > until_ms)
            world_violation(w, "misuse", "a child has extended the lease of c%u.%u", h->client, h->index);
    }
}

static void fork_child(struct world *w, const struct client *c, uint64_t now_ms)
{
    static struct client child;
    if (!rng_chance(&w->stream[FAULT_FORK], 10))
        return;
    world_trace(w, "c%u forks; the child uses its copies", c->index);
    child = *c;
    relocate(&child, c);
    forked(&child, w->conns, now_ms);
    for (int i = 0; i < w->handles; i++)
        if (!child.handle[i].is_free)
            use_in_child(w, &child, &child.handle[i], now_ms);
}

/* ---------------------------------------------------------------- all */

void misuse_act(struct world *w, struct client *c, uint64_t now_ms)
{
    if (!(w->faults & FAULTS_MISUSE) || w->opt.is_scripted)
        return;
    if (has(w, FAULT_REMADE))
        remakes(w, c);
    if (has(w, FAULT_FULL))
        fill(w, c, now_ms);
    for (int i = 0; i < w->handles; i++) {
        if (has(w, FAULT_COPY))
            copies(w, &c->handle[i], now_ms);
        if (has(w, FAULT_OPTIONS))
            change_options(w, &c->handle[i]);
    }
    if (has(w, FAULT_FORK))
        fork_child(w, c, now_ms);
}
