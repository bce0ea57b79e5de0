/* SPDX-License-Identifier: MIT */
/* setup.c - allocates a handle and sets it up: which kind, with which name and options. */
#include "fuzz/api/handle.h"

#include <stdlib.h>
#include <string.h>

static char long_name[RDL_NAME_MAX + 1];
static const struct rdl_bytes names[] = {{"a", 1},   {"b", 1},           {"job{1}", 6}, {long_name, 128},
                                         {"x}y", 3}, {"rdl:canary", 10}, {"", 0},       {long_name, 129}};

static const struct rdl_lock_options leases[] = {
    {.ttl_ms = 1000, .attempt_ms = 100},
    {.ttl_ms = 1000, .wait_ms = 2000, .retry_ms = 20},
    {.ttl_ms = 10000, .wait_ms = 3000, .retry_ms = 100, .attempt_ms = 250},
    {.ttl_ms = 200},
    {.ttl_ms = 60000, .wait_ms = RDL_WAIT_FOREVER, .retry_ms = 50, .attempt_ms = 1000},
    {.ttl_ms = RDL_TTL_MAX, .wait_ms = 100, .retry_ms = 5},
    {.ttl_ms = 20, .wait_ms = 50, .retry_ms = 5, .attempt_ms = 5},
    {.ttl_ms = 19},
    {.ttl_ms = 1000, .wait_ms = 300, .retry_ms = 50, .attempt_ms = 250, .fence_expiry_ms = 5000},
    {.ttl_ms = RDL_TTL_MAX + 1u},
    {.ttl_ms = 5000, .wait_ms = RDL_WAIT_FOREVER, .retry_ms = 500, .fence_expiry_ms = RDL_TTL_MAX},
    {.ttl_ms = 2000, .wait_ms = 1, .retry_ms = 1, .attempt_ms = 1},
    {.ttl_ms = 400, .retry_ms = 7},
    {.ttl_ms = 3000, .wait_ms = 60000, .retry_ms = UINT32_MAX},
    {.ttl_ms = RDL_TTL_MAX, .attempt_ms = RDL_TTL_MAX / 4, .fence_expiry_ms = 1},
    {.ttl_ms = 1000, .attempt_ms = UINT32_MAX},
};

/*
 * A copy of the name; those of legacy locks are others, because they must not be mixed. The canary's is for
 * redlocks alone, which refuse it.
 */
static void make_name(struct handle *h, uint8_t which)
{
    static const struct rdl_bytes single = {"rdl:other_", 10};
    struct rdl_bytes name = (which & 7) == 5 && h->kind != REDLOCK ? single : names[which & 7];

    memset(long_name, 'n', sizeof long_name);
    h->name_len = name.len;
    h->name = make(name.len);
    memcpy(h->name, name.data, name.len);
    if (h->kind >= LEGACY && h->kind <= LEGACY_SHORTEST && name.len > 0)
        h->name[0] ^= 0x20;
    h->names[0] = name;
}

/* The names are not needed after the call. */
static void make_multi(struct handle *h, struct rdl_conn *c, uint8_t which)
{
    static const uint8_t sets[][NAMES_OF + 1] = {{1, 0},    {2, 0, 1}, {2, 1, 0}, {2, 0, 0},
                                                 {2, 1, 2}, {1, 3},    {0},       {1, 6}};
    const uint8_t *set = sets[which & 7];
    struct rdl_bytes *list = make(set[0] * sizeof *list);
    char *texts[NAMES_OF] = {NULL, NULL};
    size_t i;

    for (i = 0; i < set[0]; i++) {
        h->names[i] = names[set[1 + i]];
        texts[i] = memcpy(make(h->names[i].len), h->names[i].data, h->names[i].len);
        list[i].data = texts[i];
        list[i].len = h->names[i].len;
    }
    h->packed = make(RDL_NAME_MAX);
    h->set_up = rdl_lock_init_multi(h->lock, h->lease, c, list, set[0], h->packed);
    for (i = 0; i < set[0]; i++)
        free(texts[i]);
    free(list);
}

void handle_make_hint(struct handle *h, int waits)
{
    int leads_there = h->redlock != NULL || world.peer[h->peer].server == world.peer[HINT_PEER].server;
    struct rdl_hint *hint = make(sizeof *hint);

    rdl_hint_init(hint, waits && leads_there ? world.peer[HINT_PEER].conn : NULL);
    if (h->redlock != NULL)
        rdl_redlock_set_hint(h->redlock, hint);
    else
        rdl_lock_set_hint(h->lock, hint);
    free(h->hint);
    h->hint = hint;
}

static void make_lock(struct handle *h, struct record r)
{
    struct rdl_conn *c;

    h->peer = (uint8_t)((r.who >> 2 & 7) % SERVERS);
    c = world.peer[h->peer].conn;
    h->lock_size = h->kind == FENCED                                 ? sizeof(struct rdl_lock_fenced)
                   : h->kind >= LEGACY && h->kind <= LEGACY_SHORTEST ? sizeof(struct rdl_lock_legacy)
                                                                     : sizeof(struct rdl_lock);
    h->lock = make(h->lock_size);
    h->lease = make(sizeof *h->lease);
    *h->lease = leases[r.b & 15];
    make_name(h, r.b >> 4);
    if (h->kind == MULTI)
        make_multi(h, c, r.b >> 4);
    else if (h->kind == PLAIN)
        h->set_up = rdl_lock_init(h->lock, h->lease, c, h->name, h->name_len);
    else if (h->kind == FENCED)
        h->set_up =
            rdl_lock_init_fenced((struct rdl_lock_fenced *)h->lock, h->lease, c, h->name, h->name_len);
    else
        h->set_up = rdl_lock_init_legacy((struct rdl_lock_legacy *)h->lock, h->lease, c, h->name, h->name_len,
                                         (enum rdl_legacy)(h->kind - LEGACY));
}

static void make_options(struct handle *h, struct record r)
{
    static const uint8_t guards[] = {RDL_GUARD_IF_PERMITTED, RDL_GUARD_OFF,          RDL_GUARD_REQUIRED,
                                     RDL_GUARD_STRICT,       RDL_GUARD_IF_PERMITTED, RDL_GUARD_OFF,
                                     RDL_GUARD_OFF,          RDL_GUARD_OFF + 1};
    static const uint32_t max_ttl[] = {10000, RDL_TTL_MAX, 60000, 1000};

    h->opt = make(sizeof *h->opt);
    h->opt->lease = leases[r.b & 15];
    h->opt->max_ttl_ms = max_ttl[r.who >> 2 & 3];
    h->opt->max_hold_ms = r.b % 5 == 1 ? 15000 : 0;
    h->opt->max_extensions = r.b % 7 == 2 ? 2 : 0;
    h->opt->fencing = r.a & 128 ? &rdl_fencing : NULL;
    h->opt->guard = guards[r.a >> 3 & 7];
    h->opt->accept_gap = r.who >> 4 & 1;
}

/* servers: those of another redlock, or NULL. */
static void make_redlock(struct handle *h, struct record r, struct rdl_server *servers)
{
    size_t n = world.servers;
    size_t i;

    h->redlock = make(sizeof *h->redlock);
    make_options(h, r);
    make_name(h, r.b >> 4);
    h->servers = servers != NULL ? servers : make(n * sizeof *h->servers);
    for (i = 0; i < n; i++)
        h->servers[i].conn = world.peer[i].conn;
    if (r.who >> 2 == 63)
        n = r.a & 8 ? 0 : RDL_SERVERS_MAX + 1;
    h->set_up = rdl_redlock_init(h->redlock, h->opt, h->servers, n, h->name, h->name_len);
    if (!(r.a & 64))
        return;
    h->canaries = make(world.servers * sizeof *h->canaries);
    rdl_redlock_set_canary(h->redlock, h->canaries);
}

void handle_make(struct handle *h, struct record r, struct rdl_server *servers)
{
    h->kind = servers != NULL ? REDLOCK : (enum kind)((r.a & 7) % KINDS);
    h->is_kept = r.who >> 5 & 1;
    if (h->kind == REDLOCK)
        make_redlock(h, r, servers);
    else
        make_lock(h, r);
    if (r.who >> 6 & 1)
        handle_make_hint(h, r.who >> 7);
    h->until_ms = h->reach_ms = 0;
}
