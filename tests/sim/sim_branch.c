/* SPDX-License-Identifier: MIT */
/*
 * sim_branch.c - schedules that begin as an earlier one, up to a rare state, and go on with other random
 * numbers and other faults. A bug that needs several rare events is then found in fewer schedules: the
 * second event is looked for where the first has happened, and not from the start again.
 *
 * A schedule is its options: the seed and the path, which says after how many events it goes on with which
 * other random numbers. So it can be repeated at any time, and no copy of a world is kept. The pool has, for
 * each set of rare states that a redlock has had with one server, some schedules that reached it.
 */
#include "net/net_private.h"
#include "tests/sim/sim.h"

#include <string.h>

/* The rare states of a redlock and one of its servers. */
enum {
    RARE_QUARANTINE = 1, /* the server's grant does not count, and an earlier one did */
    RARE_REPAIR = 2,     /* an extend has restored the key */
    RARE_RELEASE = 4,    /* a release is pending after its connection ended */
    RARE_RECOVERY = 8,   /* the redlock is held again after it lost a lease */
    RARE_SETS = 16,
    /* these make no set of their own */
    DID_COUNT = 64, /* the server's grant counted once */
    DID_LOSE = 128  /* the redlock lost a lease */
};

/* A schedule that reached a set, and when (virtual time). */
struct place {
    struct options from;
    uint64_t at;
};

/* Those of one set, each of another seed. */
struct places {
    struct place place[PLACES];
    unsigned len, tried;
};

static struct places pool[RARE_SETS];
static struct rng dice;

void branch_begin(uint64_t seed)
{
    for (unsigned i = 0; i < RARE_SETS; i++)
        pool[i].len = pool[i].tried = 0;
    dice.state = seed;
}

/* ---------------------------------------------------------------- rare states */

/* A release of this lock is queued, and the connection has ended. */
static int is_release_pending(const struct handle *h, const struct rdl_conn *c)
{
    const struct rdl_redlock *r = &h->m->redlock;
    if (rdl_conn_state(c) != RDL_CONN_CLOSED || rdl_conn_error(c) == RDL_OK)
        return 0;
    for (uint32_t at = c->base; at < c->tail; at += rdl_record_size(rdl_record_at(c, at))) {
        const struct rdl_record *record = rdl_record_at(c, at);
        if (record->op->must_send == RDL_SEND_ALWAYS && record->name_len == r->name_len &&
            memcmp(record + 1, r->name, r->name_len) == 0)
            return 1;
    }
    return 0;
}

/* The states that it has had with this server, up to now and now. */
static unsigned states_of(const struct handle *h, int server)
{
    const struct rdl_server *s = &h->m->servers[server];
    unsigned states = h->rare[server];
    int is_granted = s->vote == RDL_VOTE_GRANTED;
    if (is_granted && s->counts)
        states |= DID_COUNT;
    if (is_granted && !s->counts && (states & DID_COUNT) && rdl_conn_state(s->conn) == RDL_CONN_READY)
        states |= RARE_QUARANTINE;
    if (is_granted && s->is_repair)
        states |= RARE_REPAIR;
    if (is_release_pending(h, s->conn))
        states |= RARE_RELEASE;
    if (h->result == RDL_LOST || h->result == RDL_E_GAP)
        states |= DID_LOSE;
    if ((states & DID_LOSE) && h->state == HELD)
        states |= RARE_RECOVERY;
    return states;
}

/* ---------------------------------------------------------------- the pool */

/*
 * Where this schedule is kept: in place of the same seed's, in free room, in place of the latest. The earlier
 * it reached the set the more faults can follow. NULL: the one there is earlier.
 */
static struct place *place_for(struct places *p, uint64_t seed, uint64_t at)
{
    struct place *latest = &p->place[0];
    for (unsigned i = 0; i < p->len; i++) {
        struct place *here = &p->place[i];
        if (here->from.seed == seed)
            return at < here->at ? here : NULL;
        if (here->at > latest->at)
            latest = here;
    }
    if (p->len < PLACES)
        return &p->place[p->len++];
    return at < latest->at ? latest : NULL;
}

/* The schedule has just reached the set. */
static void add(const struct world *w, unsigned set)
{
    struct place *p = place_for(&pool[set], w->opt.seed, w->now);
    if (!p)
        return;
    p->at = w->now;
    p->from = w->opt;
    p->from.path[p->from.forks++] = (struct fork){w->counts.events, 0};
}

/* Looks for new sets of this client's locks. After heal_us there is little to vary: no faults follow. */
static void watch(struct world *w, struct client *c)
{
    int is_kept = w->forked == w->opt.forks && w->opt.forks < FORKS && w->now < w->opt.heal_us;
    for (int i = 0; i < w->handles; i++) {
        struct handle *h = &c->handle[i];
        if (c->is_dead || h->is_single || h->is_free || h->m == NULL)
            continue;
        for (int s = 0; s < w->servers; s++) {
            h->rare[s] = (uint8_t)states_of(h, s);
            unsigned set = h->rare[s] % RARE_SETS;
            if (set == 0 || (w->rare >> set & 1))
                continue;
            w->rare |= 1u << set;
            if (is_kept)
                add(w, set);
        }
    }
}

/* ---------------------------------------------------------------- going on */

/* What may begin in the middle of a world: no oracle and no time of the world's end depends on them. */
static const uint64_t joining = FAULT_BIT(FAULT_RESET) | FAULT_BIT(FAULT_STALL) | FAULT_BIT(FAULT_PARTITION) |
                                FAULT_BIT(FAULT_REFUSE) | FAULT_BIT(FAULT_REBOOT) | FAULT_BIT(FAULT_FREEZE) |
                                FAULT_BIT(FAULT_PAUSE) | FAULT_BIT(FAULT_ERRORS) | FAULT_BIT(FAULT_SCRIPTS) |
                                FAULT_BIT(FAULT_CANCEL) | FAULT_BIT(FAULT_HALF);

/*
 * Goes on with other random numbers. What has a time to begin does so at another one, and more classes of
 * faults join if they are drawn.
 */
static void go_on(struct world *w, uint64_t number)
{
    struct rng seeds = {w->hash ^ number};
    for (int i = 0; i < STREAMS; i++)
        w->stream[i].state = rng_next(&seeds);
    for (int c = 0; c < w->clients; c++) {
        for (int i = 0; i < HANDLES_MAX; i++)
            w->client[c].dice[i].state = rng_next(&seeds);
        for (int s = 0; s < w->servers; s++)
            w->link[c][s].delays.state = rng_next(&seeds);
    }
    if (w->opt.faults < 0)
        w->faults |= rng_next(&seeds) & joining;
    if (w->faults & FAULT_BIT(FAULT_RESET))
        w->resets_in = (uint32_t)rng_between(&w->stream[FAULT_RESET], 10, 400);
    faults_plan_anew(w);
}

void branch_event(struct world *w, const struct event *e)
{
    if (w->opt.branches > 0 && e->kind != EVENT_FAULT)
        watch(w, &w->client[e->kind == EVENT_WAKE ? e->who : w->tcp[e->who].client]);
    if (w->forked == w->opt.forks || w->counts.events != w->opt.path[w->forked].events)
        return;
    go_on(w, w->opt.path[w->forked++].number);
}

/* The set that was tried least often. */
int branch_next(struct options *o)
{
    struct places *best = NULL;
    for (unsigned set = 1; set < RARE_SETS; set++)
        if (pool[set].len > 0 && (!best || pool[set].tried < best->tried))
            best = &pool[set];
    if (!best)
        return 0;
    best->tried++;
    *o = best->place[rng_below(&dice, best->len)].from;
    o->path[o->forks - 1].number = rng_next(&dice);
    return 1;
}
