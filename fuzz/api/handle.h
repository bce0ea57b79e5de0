/* SPDX-License-Identifier: MIT */
/* handle.h - a handle with its memory, between handle.c, setup.c and rules.c. */
#ifndef RDL_FUZZ_HANDLE_H
#define RDL_FUZZ_HANDLE_H

#include "fuzz/api/api.h"

enum kind { PLAIN, FENCED, LEGACY, LEGACY_INTEGER, LEGACY_SHORTEST, MULTI, REDLOCK, KINDS };
enum doing { NOTHING, ACQUIRE, EXTEND, RELEASE };

enum { NAMES_OF = 2 };

/* One handle. Each pointer is an allocation of its own, or NULL. */
struct handle {
    struct rdl_lock *lock; /* of any kind but REDLOCK; NULL: not set up */
    struct rdl_redlock *redlock;
    struct rdl_lock_options *lease;
    struct rdl_redlock_options *opt;
    struct rdl_server *servers;
    struct rdl_canary *canaries;
    struct rdl_hint *hint;
    uint8_t *packed;
    char *name;
    size_t name_len;
    struct rdl_bytes names[NAMES_OF]; /* constants: the keys that it holds */
    size_t lock_size;
    enum kind kind;
    enum doing doing;
    uint8_t peer;       /* of a lock on one server */
    uint8_t is_in_use;  /* by the rules of rdl_lock_init() and struct rdl_redlock */
    uint8_t is_adopted; /* a token that no extend has confirmed yet */
    uint8_t is_given;   /* another handle has adopted its token */
    uint8_t is_taken;   /* another redlock was set up with its servers[] */
    uint8_t is_kept;    /* not freed as soon as it may be */
    int set_up;         /* the result of its set-up: each acquire and adopt repeats an error */
    uint32_t ttl_ms;    /* of this operation */
    uint64_t begun_ms;
    uint64_t limit_ms; /* the operation must have ended by then */
    uint64_t until_ms; /* the end of the lease, after the last call */
    uint64_t most_ms;  /* the ttl that it may ask for: an extend never shortens what its key has left */
    uint64_t reach_ms; /* by then all its keys end */
};

static inline int handle_is_set_up(const struct handle *h)
{
    return h->lock != NULL || h->redlock != NULL;
}

static inline const struct rdl_lock_options *handle_lease(const struct handle *h)
{
    return h->redlock != NULL ? &h->opt->lease : h->lease;
}

static inline uint32_t handle_left(const struct handle *h)
{
    return h->redlock != NULL ? rdl_redlock_remaining_ms(h->redlock, world.now)
                              : rdl_lock_remaining_ms(h->lock, world.now);
}

static inline uint64_t handle_until(const struct handle *h)
{
    return h->redlock != NULL ? rdl_redlock_until_ms(h->redlock) : rdl_lock_until_ms(h->lock);
}

/* Is any of its memory known to a connection? */
int handle_is_referenced(const struct handle *h);

/* ---------------------------------------------------------------- setup.c */

/* servers: those of another redlock, or NULL. */
void handle_make(struct handle *h, struct record r, struct rdl_server *servers);
void handle_make_hint(struct handle *h, int waits);

/* ---------------------------------------------------------------- rules.c */

/* An operation begins: when must it end? */
void rules_begin(struct handle *h, enum doing what, uint32_t ttl_ms);
/* It has ended with this result. */
void rules_ended(struct handle *h, int result);
/* It is still pending. */
void rules_pending(struct handle *h);
/* What holds for a handle between any two calls. */
void rules_check(struct handle *h);
/* All functions that only read. */
void rules_query(const struct handle *h, struct record r);

#endif
