/* SPDX-License-Identifier: MIT */
/* handle.c - the handles: their calls, and the moment at which their memory may be freed. */
#include "fuzz/api/handle.h"

#include "lock/lock_op.h"

#include <stdlib.h>
#include <string.h>

static struct handle handles[HANDLES];

/* ---------------------------------------------------------------- memory */

static int refers(const struct rdl_conn *c, const void *memory, size_t size)
{
    return memory != NULL && rdl_conn_refers_to(c, memory, size);
}

int handle_is_referenced(const struct handle *h)
{
    size_t n = world.servers;
    int found = 0;
    int i;

    for (i = 0; i < PEERS; i++) {
        const struct rdl_conn *c = world.peer[i].conn;
        found |= refers(c, h->lock, h->lock_size) || refers(c, h->redlock, sizeof *h->redlock) ||
                 refers(c, h->hint, sizeof *h->hint) || refers(c, h->canaries, n * sizeof *h->canaries) ||
                 (!h->is_taken && refers(c, h->servers, n * sizeof *h->servers));
    }
    return found;
}

static void release_memory(struct handle *h);

/* A redlock whose servers[] were taken goes before their memory does. */
static void drop_taken(const struct handle *owner)
{
    int i;

    for (i = 0; i < HANDLES; i++) {
        struct handle *h = &handles[i];
        if (h == owner || !h->is_taken || h->servers != owner->servers)
            continue;
        rdl_redlock_cancel(h->redlock);
        h->is_in_use = 0;
        release_memory(h);
    }
}

static void release_memory(struct handle *h)
{
    must(!h->is_in_use && !handle_is_referenced(h));
    if (!h->is_taken && h->servers != NULL) {
        drop_taken(h);
        free(h->servers);
    }
    free(h->lock);
    free(h->redlock);
    free(h->lease);
    free(h->opt);
    free(h->canaries);
    free(h->hint);
    free(h->packed);
    free(h->name);
    memset(h, 0, sizeof *h);
}

/* Every call ends here: the memory goes as soon as it may, unless the handle is kept for more calls. */
static void called(struct handle *h)
{
    h->until_ms = handle_until(h);
    if (!h->is_in_use && !h->is_kept)
        release_memory(h);
}

static void cancel(struct handle *h)
{
    if (h->is_given && h->is_in_use) /* its adopter still uses the token */
        world_lies();
    if (h->redlock != NULL)
        rdl_redlock_cancel(h->redlock);
    else
        rdl_lock_cancel(h->lock);
    h->doing = NOTHING;
    h->is_in_use = h->is_adopted = 0;
    called(h);
}

/* ---------------------------------------------------------------- operations */

/* Does the memory stay in use after this result? */
static int stays_in_use(const struct handle *h, enum doing what, int result)
{
    if (result == RDL_E_SHARED)
        return what != RELEASE && h->is_in_use;
    if (what == ACQUIRE)
        return result >= 0;
    if (what == RELEASE || result == RDL_LOST || result == RDL_E_GAP)
        return 0;
    return h->is_in_use;
}

static void answered(struct handle *h, int result)
{
    enum doing what = h->doing;

    if (result == RDL_PENDING) {
        h->is_in_use = 1;
        rules_pending(h);
        called(h);
        return;
    }
    rules_ended(h, result);
    h->is_in_use = (uint8_t)stays_in_use(h, what, result);
    if (!h->is_in_use)
        h->is_adopted = 0;
    called(h);
}

static uint32_t ttl_of(const struct handle *h, uint8_t which)
{
    const uint32_t ttls[] = {handle_lease(h)->ttl_ms, 1000, 60000, RDL_TTL_MAX, 3, 400, 2000, UINT32_MAX};

    return ttls[which & 7];
}

/* May an operation begin? Its adopter may use the token of one that was given; no other handle may. */
static int may_begin(struct handle *h, enum doing what)
{
    int is_held = handle_left(h) > 0 || (h->is_adopted && h->redlock == NULL);

    if (h->doing != NOTHING && !(what == RELEASE && h->doing == EXTEND && h->redlock != NULL))
        return 0;
    if ((what == ACQUIRE && is_held) || (what == EXTEND && h->is_given))
        return 0;
    if (h->is_given && h->is_in_use)
        world_lies();
    if (what == ACQUIRE)
        h->is_given = h->is_adopted = 0;
    return 1;
}

static void begin(struct handle *h, enum doing what, uint8_t which)
{
    uint32_t ttl_ms = what == EXTEND ? ttl_of(h, which) : handle_lease(h)->ttl_ms;
    uint8_t *entropy;
    int rc;

    if (!may_begin(h, what))
        return;
    rules_begin(h, what, ttl_ms);
    if (what == ACQUIRE) {
        entropy = make(RDL_ENTROPY_LEN);
        (void)world_platform.random(&world, entropy, RDL_ENTROPY_LEN);
        rc = h->redlock != NULL ? rdl_redlock_acquire_begin(h->redlock, entropy, world.now)
                                : rdl_lock_acquire_begin(h->lock, entropy, world.now);
        free(entropy);
    } else if (what == EXTEND) {
        rc = h->redlock != NULL ? rdl_redlock_extend_begin(h->redlock, ttl_ms, world.now)
                                : rdl_lock_extend_begin(h->lock, ttl_ms, world.now);
    } else {
        rc = h->redlock != NULL ? rdl_redlock_release_begin(h->redlock, world.now)
                                : rdl_lock_release_begin(h->lock, world.now);
    }
    answered(h, rc);
}

static void step(struct handle *h)
{
    int rc = h->redlock != NULL ? rdl_redlock_step(h->redlock, world.now) : rdl_lock_step(h->lock, world.now);

    if (h->doing != NOTHING)
        answered(h, rc);
    else
        called(h);
}

/* A poll that failed cancels an operation; one whose outcome this leaves open is canceled here. */
static void block(struct handle *h, struct record r)
{
    static const enum doing what[] = {ACQUIRE, EXTEND, RELEASE, NOTHING};
    enum doing doing = what[r.a & 3];
    uint32_t ttl_ms = doing == EXTEND ? ttl_of(h, r.b) : handle_lease(h)->ttl_ms;
    uint64_t until_ms = r.b == 255 ? UINT64_MAX : world.now + r.b;
    int rc;

    if (h->doing != NOTHING || !may_begin(h, doing))
        return;
    world.polls = 1;
    rules_begin(h, doing, ttl_ms);
    if (doing == ACQUIRE)
        rc = h->redlock != NULL ? rdl_redlock_acquire(h->redlock, &world_platform)
                                : rdl_lock_acquire(h->lock, &world_platform);
    else if (doing == EXTEND)
        rc = h->redlock != NULL ? rdl_redlock_extend(h->redlock, &world_platform, ttl_ms)
                                : rdl_lock_extend(h->lock, &world_platform, ttl_ms);
    else if (doing == RELEASE)
        rc = h->redlock != NULL ? rdl_redlock_release(h->redlock, &world_platform)
                                : rdl_lock_release(h->lock, &world_platform);
    else
        rc = h->redlock != NULL ? rdl_redlock_drain(h->redlock, &world_platform, until_ms)
                                : rdl_lock_drain(h->lock, &world_platform, until_ms);
    must(rc != RDL_PENDING);
    if (doing != NOTHING)
        rules_pending(h);
    world.polls = 0;
    world.poll_error = world.random_error = RDL_OK;
    if (doing == NOTHING) {
        called(h);
        return;
    }
    if (rc == RDL_E_RANDOM && handle_until(h) != 0) /* nothing was done */
        rc = RDL_E_SHARED;
    answered(h, rc);
    if (handle_is_set_up(h) && (rc == RDL_E_SYSTEM || rc == RDL_E_FORKED))
        cancel(h);
}

/* ---------------------------------------------------------------- other calls */

/* Two handles may pass a token on: both are locks of this name in the same place. */
static int is_alike(const struct handle *a, const struct handle *b)
{
    int is_one = a->redlock == NULL;

    if (is_one != (b->redlock == NULL) || a->names[0].data != b->names[0].data ||
        a->names[1].data != b->names[1].data || a->names[0].len != b->names[0].len)
        return 0;
    return !is_one || (a->peer == b->peer && (a->kind == MULTI) == (b->kind == MULTI));
}

static void adopt(struct handle *h, struct record r)
{
    static const char odd[RDL_TOKEN_TEXT_MAX] = "0123456789abcdef0123456789abcdef0123456789";
    struct handle *from = &handles[r.a % HANDLES];
    char *text = make(RDL_TOKEN_TEXT_MAX);
    size_t len = r.b & 1 ? (size_t)r.b >> 1 & 63 : RDL_VALUE_MAX;
    int is_real = from != h && handle_is_set_up(from) && is_alike(h, from) && from->is_in_use &&
                  from->doing == NOTHING && (from->until_ms != 0 || from->is_adopted) && !from->is_given &&
                  !(from->kind >= LEGACY && from->kind <= LEGACY_SHORTEST);
    char *exact;
    int rc;

    memcpy(text, odd, sizeof odd);
    if (is_real && from->redlock != NULL)
        rdl_redlock_token(from->redlock, text);
    else if (is_real)
        rdl_lock_token(from->lock, text);
    exact = memcpy(make(len), text, len);
    if (h->is_given && h->is_in_use)
        world_lies();
    rc = h->redlock != NULL ? rdl_redlock_adopt(h->redlock, exact, len) : rdl_lock_adopt(h->lock, exact, len);
    /* it needs no ttl */
    must(h->set_up != RDL_OK && h->set_up != RDL_E_TTL
             ? rc == h->set_up
             : rc == RDL_OK || rc == RDL_E_TOKEN || rc == RDL_E_SHARED);
    if (rc == RDL_OK) {
        h->is_in_use = h->is_adopted = 1;
        h->is_given = 0;
        from->is_given = (uint8_t)(from->is_given | is_real);
    }
    free(text);
    free(exact);
    called(h);
}

static void set(struct handle *h, struct record r)
{
    static const uint64_t least[] = {0, 1,   1700000000000u, RDL_FENCE_MAX, RDL_FENCE_MAX + 1, UINT64_MAX,
                                     7, 1000};

    if ((r.a & 3) == 0 && h->doing == NOTHING) {
        handle_make_hint(h, r.b & 1);
    } else if ((r.a & 3) == 1 && h->doing == NOTHING) {
        if (h->redlock != NULL)
            rdl_redlock_set_hint(h->redlock, NULL);
        else
            rdl_lock_set_hint(h->lock, NULL);
        free(h->hint);
        h->hint = NULL;
    } else if (h->redlock != NULL && h->opt->fencing != NULL) {
        rdl_redlock_set_min_fence(h->redlock, least[r.b & 7]);
    } else if (h->kind == FENCED) {
        rdl_lock_set_min_fence((struct rdl_lock_fenced *)h->lock, least[r.b & 7]);
    } else if (h->kind >= LEGACY && h->kind <= LEGACY_SHORTEST) {
        rdl_lock_set_clock((struct rdl_lock_legacy *)h->lock, r.b & 1 ? 1700000000u : r.b, r.b, world.now);
    }
}

/* Another redlock takes its servers[] only while no request needs them: in a pause, or between operations. */
static int may_share(const struct handle *h)
{
    size_t n = world.servers;
    size_t i;

    if (h->redlock == NULL || h->doing > ACQUIRE || h->is_taken)
        return 0;
    for (i = 0; i < PEERS; i++)
        if (refers(world.peer[i].conn, h->servers, n * sizeof *h->servers))
            return 0;
    for (i = 0; i < n; i++)
        if (h->servers[i].req.room > 0)
            return 0;
    return 1;
}

static void share(struct handle *h, struct record r)
{
    struct handle *from = &handles[r.b % HANDLES];

    if (h == from || h->doing != NOTHING || !may_share(from))
        return;
    if (handle_is_set_up(h) && h->is_in_use)
        return;
    if (handle_is_set_up(h))
        release_memory(h);
    if (!handle_is_set_up(from)) /* it was the taken one of h */
        return;
    handle_make(h, r, from->servers);
    if (r.who >> 2 == 63) /* it has none, and the other one keeps its own */
        h->is_taken = 1;
    else
        from->is_taken = 1;
}

static void renew(const struct handle *h, struct record r)
{
    struct rdl_renewal *k = make(sizeof *k);
    uint64_t at_ms = 0;
    enum rdl_renewal_action action;

    must(rdl_renewal_next(k, world.now, &at_ms) == RDL_RENEWAL_LOST);
    rdl_renewal_renewed(k, ttl_of(h, r.a), (uint32_t)r.b << (r.a >> 3 & 15), h->until_ms, world.now);
    if (r.a & 128)
        rdl_renewal_failed(k, world.now);
    action = rdl_renewal_next(k, world.now, &at_ms);
    must((action == RDL_RENEWAL_LOST) == (h->until_ms <= world.now));
    if (action == RDL_RENEWAL_SLEEP)
        must(at_ms > world.now && at_ms <= h->until_ms);
    free(k);
}

static void call(struct handle *h, struct record r)
{
    switch (r.op) {
    case DO_ACQUIRE:
    case DO_EXTEND:
    case DO_RELEASE:
        begin(h, (enum doing)(r.op - DO_ACQUIRE + ACQUIRE), r.a);
        break;
    case DO_STEP:
        step(h);
        break;
    case DO_CANCEL:
        cancel(h);
        break;
    case DO_ADOPT:
        if (h->doing == NOTHING)
            adopt(h, r);
        break;
    case DO_QUERY:
        rules_query(h, r);
        break;
    case DO_SET:
        set(h, r);
        break;
    case DO_FREE:
        if (!h->is_in_use)
            release_memory(h);
        break;
    case DO_BLOCK:
        block(h, r);
        break;
    default:
        renew(h, r);
        break;
    }
}

void handle_do(struct record r)
{
    struct handle *h = &handles[r.who % HANDLES];

    if (r.op == DO_SHARE) {
        share(h, r);
    } else if (r.op == DO_MAKE) {
        if (handle_is_set_up(h) && h->is_in_use)
            return;
        if (handle_is_set_up(h))
            release_memory(h);
        handle_make(h, r, NULL);
    } else if (handle_is_set_up(h)) {
        call(h, r);
    }
}

/* ---------------------------------------------------------------- all of them */

void handles_start(void)
{
    memset(handles, 0, sizeof handles);
}

uint64_t handles_step(void)
{
    uint64_t next = UINT64_MAX;
    int i;

    for (i = 0; i < HANDLES; i++) {
        struct handle *h = &handles[i];
        uint64_t at;
        if (handle_is_set_up(h) && (h->doing != NOTHING || h->redlock != NULL))
            step(h);
        if (!handle_is_set_up(h))
            continue;
        at = h->redlock != NULL ? rdl_redlock_wake_ms(h->redlock) : rdl_lock_wake_ms(h->lock);
        next = at < next ? at : next;
    }
    return next;
}

void handles_check(void)
{
    int i;

    for (i = 0; i < HANDLES; i++)
        if (handle_is_set_up(&handles[i]))
            rules_check(&handles[i]);
}

/* Its hint may wait on any connection to the first server. */
int handles_leave(const struct rdl_conn *c)
{
    int in_use = 0;
    int i;

    (void)c;
    for (i = 0; i < HANDLES; i++)
        in_use |= handles[i].is_in_use;
    for (i = 0; i < HANDLES && !in_use; i++)
        if (handle_is_set_up(&handles[i]))
            release_memory(&handles[i]);
    return in_use;
}

void handles_end(void)
{
    int i;

    for (i = 0; i < HANDLES; i++)
        if (handle_is_set_up(&handles[i]))
            cancel(&handles[i]);
    for (i = 0; i < HANDLES; i++)
        if (handle_is_set_up(&handles[i]))
            release_memory(&handles[i]);
}
