/* SPDX-License-Identifier: MIT */
/* What the servers do, command by command: recorded for the oracles, and checked at once where possible. */
#include "lock/lock_commands.h"
#include "tests/sim/sim.h"

#include <string.h>

static void trace_note(struct world *w, const struct host *h, const struct sim_note *n)
{
    static const char *const deed[] = {"SET granted",   "SET refused", "lives longer",
                                       "LIVES SHORTER", "deleted",     "script said",
                                       "looked",        "found",       "error"};
    int is_token = n->value.len == 2 * RDL_TOKEN_LEN; /* its last digits count the attempts */
    if (w->opt.trace)
        world_trace(w, "        s%u %s %.*s (%lld) for c%d %.*s%.*s%s", h->index, deed[n->deed],
                    (int)n->key.len, (const char *)n->key.data, (long long)n->number,
                    h->serving ? h->serving->client : -1,
                    (int)(n->deed == SIM_FAILED ? n->value.len
                          : n->value.len > 6    ? 6
                                                : n->value.len),
                    (const char *)n->value.data, is_token ? 4 : 0,
                    (const char *)n->value.data + (is_token ? n->value.len - 4 : 0),
                    h->serving && !h->serving->client_open ? " over a closed connection" : "");
}

static int is_same(struct sim_arg a, struct sim_arg b)
{
    return a.len == b.len && memcmp(a.data, b.data, a.len) == 0;
}

static uint8_t name_bit(struct sim_arg key)
{
    for (unsigned i = 0; i < NAMES_END; i++)
        if (key.len == strlen(lock_name(i)) && memcmp(key.data, lock_name(i), key.len) == 0)
            return (uint8_t)(1u << i);
    return 0;
}

static int is_lock(struct sim_arg key)
{
    return name_bit(key) != 0;
}

/* Which script it was: scripts are recognized by their texts. */
static int is_script(const struct sim_note *n, const struct rdl_script *script)
{
    return n->script && n->script->len == script->text_len &&
           memcmp(n->script->text, script->text, script->text_len) == 0;
}

/* Several locks, by script or by MSETEX, which has more arguments than SET. */
static int is_multi(const struct sim_note *n)
{
    return is_script(n, &rdl_script_acquire_multi) || (!n->script && n->arguments > 6);
}

static int is_raise(const struct sim_note *n)
{
    return is_script(n, &rdl_script_extend_fenced) && n->second.len == 1 && n->second.data[0] == '0';
}

/* The reply to its SET goes out over this connection now, and is received if that lasts. */
static void note_answer(struct world *w, const struct host *h, struct token *t)
{
    if (!h->serving || h->serving->sent_readonly)
        return;
    t->via[h->index].tcp = (uint8_t)(h->serving - w->tcp);
    t->via[h->index].gen = h->serving->gen;
}

static void oracle_set(struct world *w, const struct host *h, const struct sim_note *n)
{
    unsigned bit = 1u << h->index;
    if (n->deed == SIM_SET_GRANTED && is_lock(n->key) && n->held.len > 0 && !is_same(n->value, n->held))
        world_violation(w, "set", "s%u: a lock was overwritten without a comparison", h->index);
    if (n->value.len != 2 * RDL_TOKEN_LEN || !is_lock(n->key)) /* a legacy deadline, a fence */
        return;
    struct token *t = token_find(w, (const char *)n->value.data, 1);
    if (!t)
        return;
    if (h->index == 0 && n->deed == SIM_SET_GRANTED && is_multi(n)) {
        if (t->names & name_bit(n->key))
            world_violation(w, "fresh token", "s%u got a second SET with the same token", h->index);
        t->names |= name_bit(n->key);
    } else if (((t->granted | t->refused) & bit) && !t->was_held)
        world_violation(w, "fresh token", "s%u got a second SET with the same token", h->index);
    note_answer(w, h, t);
    if (n->deed == SIM_SET_REFUSED) {
        t->refused |= (uint8_t)bit;
        t->foreign |= (uint8_t)bit;
        return;
    }
    if (n->number < 0)
        world_violation(w, "ttl", "s%u has a key without ttl", h->index);
    else if ((n->number < w->ttl_ms / 2 && !t->was_held) || n->number > w->ttl_ms)
        world_violation(w, "ttl", "s%u was given a ttl of %lld ms", h->index, (long long)n->number);
    if (t->is_adopted && h->serving && h->serving->client_open)
        world_violation(w, "set", "s%u: a token was put back by one who has not adopted it yet", h->index);
    t->granted |= (uint8_t)bit;
    planted_set(w, h, t);
    if (h->serving && !h->serving->client_open)
        t->left |= (uint8_t)bit;
    if (h->serving)
        t->setter = h->serving->client;
    if (w->now < t->first_us)
        t->first_us = w->now;
}

static void oracle_delete(struct world *w, const struct host *h, const struct sim_note *n)
{
    struct token *t;
    if (n->value.len == 0 || !is_same(n->value, n->held)) {
        world_violation(w, "release", "s%u deleted a key that was another's", h->index);
        return;
    }
    if (n->value.len != 2 * RDL_TOKEN_LEN)
        return;
    t = token_find(w, (const char *)n->value.data, 1);
    if (!t)
        return;
    t->deleted |= (uint8_t)(1u << h->index);
    planted_delete(w, h, t);
    if (h->serving && t->setter != h->serving->client)
        world_violation(w, "release", "c%u deleted on s%u what c%u had set", h->serving->client, h->index,
                        t->setter);
    if (!t->is_held)
        return;
    const struct client *c = &w->client[t->client];
    if (handle_remaining_ms(&c->handle[t->handle], clock_ms(&c->clock, w->now)) > 0)
        world_violation(w, "release", "s%u deleted a lock that c%u holds and did not give up", h->index,
                        t->client);
}

static void oracle_script(struct world *w, const struct host *h, const struct sim_note *n)
{
    struct token *t;
    if (w->is_fenced)
        oracle_counted(w, h->index, n->value);
    if (n->arguments == 1 || n->value.len != 2 * RDL_TOKEN_LEN)
        return;
    t = token_find(w, (const char *)n->value.data, 1);
    if (!t)
        return;
    if (is_script(n, &rdl_script_release_hint))
        return;
    /*
     * an acquire, fenced or of several; only its counter is raised: refused if the key is another client's by
     * now
     */
    if (is_script(n, &rdl_script_acquire) || is_multi(n) || is_raise(n)) {
        t->refused |= (uint8_t)(n->number == 0 ? 1u << h->index : 0);
        note_answer(w, h, t);
        return;
    }
    *(n->number == 1 ? &t->extended : &t->missed) |= (uint8_t)(1u << h->index);
    t->ever_missed |= t->missed;
    t->foreign |= (uint8_t)(n->number == 0 ? 1u << h->index : 0);
    if (n->number == 1 && w->now < t->extend_us)
        t->extend_us = w->now;
}

/* By WATCH: if EXEC finds the client's key with a long enough ttl, it needs no more. */
static void oracle_pttl_queried(struct world *w, const struct host *h, const struct sim_note *n)
{
    struct token *t = n->held.len == 2 * RDL_TOKEN_LEN ? token_find(w, (const char *)n->held.data, 1) : NULL;
    if (!t || !h->serving || t->setter != h->serving->client)
        return;
    t->extended |= (uint8_t)(1u << h->index);
    if (w->now < t->extend_us)
        t->extend_us = w->now;
}

/* By MSETEX: an acquire of several locks ends if MGET finds one of them. */
static void oracle_keys_found(struct world *w, const struct host *h)
{
    const struct client *c = h->serving ? &w->client[h->serving->client] : NULL;
    for (int i = 0; c && i < w->handles; i++) {
        char hex[2 * RDL_TOKEN_LEN];
        if (!c->handle[i].is_multi || c->handle[i].state != ACQUIRING)
            continue;
        token_hex(handle_token(&c->handle[i]), hex);
        token_find(w, hex, 1)->refused |= (uint8_t)(1u << h->index);
    }
}

void oracle_note(void *ctx, const struct sim_note *n)
{
    static const char readonly[] = "-READONLY";
    /* If PTTL is refused, WATCH sets the ttl that the lease needs, and the key may have had some ms more. */
    const uint64_t no_pttl = FAULT_BIT(FAULT_ACL) | FAULT_BIT(FAULT_REPLIES);
    struct host *h = ctx;
    struct world *w = h->world;
    w->counts.commands++;
    trace_note(w, h, n);
    switch (n->deed) {
    case SIM_SET_GRANTED:
    case SIM_SET_REFUSED:
        oracle_set(w, h, n);
        break;
    case SIM_DELETED:
        oracle_delete(w, h, n);
        break;
    case SIM_SHORTENED:
        if (is_lock(n->key) && !(w->faults & no_pttl))
            world_violation(w, "extend", "s%u shortened a lease", h->index);
        break;
    case SIM_EXPIRE_SET:
        if (is_lock(n->key) && !is_same(n->value, n->held))
            world_violation(w, "extend", "s%u extended a key that was another's", h->index);
        break;
    case SIM_SCRIPT_DONE:
        oracle_script(w, h, n);
        break;
    case SIM_PTTL_QUERIED:
        oracle_pttl_queried(w, h, n);
        break;
    case SIM_KEYS_FOUND:
        if (n->number > 0)
            oracle_keys_found(w, h);
        break;
    case SIM_FAILED:
        if (h->serving && n->value.len >= sizeof readonly - 1 &&
            memcmp(n->value.data, readonly, sizeof readonly - 1) == 0)
            h->serving->sent_readonly = 1;
        break;
    }
}
