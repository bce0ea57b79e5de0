/* SPDX-License-Identifier: MIT */
/*
 * redlock.h - one lock on N independent servers (Redlock), and the keeper that renews it.
 *
 *     struct rdl_server servers[5];
 *     struct rdl_redlock lock;
 *     static const struct rdl_redlock_options opt = {
 *         .lease = {.ttl_ms = 10000, .wait_ms = 5000, .retry_ms = 50},
 *         .max_ttl_ms = 10000,
 *         .guard = RDL_GUARD_IF_PERMITTED};
 *     ...
 *     for (i = 0; i < 5; i++)
 *         servers[i].conn = &conns[i];
 *     rdl_redlock_init(&lock, &opt, servers, 5, "nightly", 7);
 *     int rc = rdl_redlock_acquire(&lock, &net);
 *
 * (redlock/examples/minimal.c is the whole program.)
 *
 * The lock is held while a majority of the *configured* servers has granted it: N/2 + 1, never fewer,
 * whatever is down. All servers are asked at once; an operation ends as soon as its outcome is certain
 * (a majority said yes, or can no longer), so a slow or dead minority costs nothing. What the others
 * still have to say, or to be told, goes on in the background of later steps.
 *
 * Usage is that of lock.h: blocking calls, or _begin and rdl_redlock_step.
 *
 * Results (see lock.h for what they have in common):
 *
 *     operation  result         what happened                                     remaining_ms
 *     acquire    RDL_OK         a majority granted it, in time                    > 0
 *                RDL_BUSY       enough servers answered, too few granted          0
 *                RDL_EXPIRED    granted by a majority, but too late to be of use  0
 *                RDL_NO_QUORUM  a majority of the servers gave no useful answer   0
 *     extend     RDL_OK         a majority had it still and keeps it              > 0, never less than before
 *                RDL_LOST       the time was up, or a majority has it no more     0
 *                RDL_UNKNOWN    no majority either way in time                    as before the call
 *     release    RDL_OK         let go; a majority is free of it                  0
 *                RDL_EXPIRED    a majority had it no more (a warning)             0
 *                RDL_LOST       somebody else holds a majority by now             0
 *                RDL_UNKNOWN    no majority answered; the ttl ends it             0
 */
#ifndef RDL_REDLOCK_H
#define RDL_REDLOCK_H

#include "lock/lock.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RDL_NO_QUORUM = -50, /* too few servers could be asked */
    RDL_E_SERVERS = -51, /* a redlock has 1 to 7 servers */
    RDL_E_GUARD = -52    /* the options do not say which restart guard */
};

enum { RDL_SERVERS_MAX = 7 };

/*
 * The restart guard: a server that came up less than max_ttl ago may have forgotten a lease, so what it
 * grants is not counted until max_ttl and a second are over (quarantine).
 */
enum rdl_guard {
    RDL_GUARD_STRICT = 1,   /* from when this process first saw that run of the server */
    RDL_GUARD_REQUIRED,     /* from its uptime, read by INFO; a server that refuses INFO never counts */
    RDL_GUARD_IF_PERMITTED, /* the same, but one that refuses INFO counts at once */
    RDL_GUARD_OFF           /* for servers that forget nothing (appendfsync always) */
};

/* How to ask for a lock on N servers; borrowed, constant. */
struct rdl_redlock_options {
    struct rdl_options lease;
    uint32_t
        max_ttl_ms; /* the longest ttl that any client of these servers uses; required, and the same for all */
    uint8_t guard;  /* enum rdl_guard; required */
};

enum rdl_vote {
    RDL_VOTE_NONE,    /* not asked, or skipped */
    RDL_VOTE_PENDING, /* asked, no answer yet */
    RDL_VOTE_GRANTED, /* granted, extended, deleted */
    RDL_VOTE_DENIED,  /* somebody else's */
    RDL_VOTE_ABSENT,  /* extend, release: no such key */
    RDL_VOTE_ERROR,   /* refused with an error */
    RDL_VOTE_UNKNOWN  /* asked, and no answer will come */
};

/* One server as one redlock sees it. Set conn; the rest is private until an operation has ended. */
struct rdl_server {
    struct rdl_conn *conn;
    struct rdl_req req;
    uint64_t asked_ms;
    int64_t holder_ms; /* DENIED: the key's PTTL, -1 no expiry, -2 not known */
    uint32_t took_ms;  /* how long the answer took */
    int16_t error;     /* ERROR, UNKNOWN, NONE: why (RDL_E_...) */
    uint8_t vote;      /* enum rdl_vote */
    uint8_t owes;      /* a SET with the current token was queued: it is owed a release */
    uint8_t granted;   /* had the lock as ours when last heard */
};

struct rdl_redlock {
    const struct rdl_redlock_options *opt;
    struct rdl_server *servers;
    const void *name;
    uint64_t sent_ms;
    uint64_t until_ms;
    uint64_t deadline_ms;
    uint64_t wake_ms;
    uint64_t upkeep_ms;
    struct rdl_token token;
    uint32_t ttl_ms;
    uint32_t seed;
    int16_t result;
    uint8_t name_len;
    uint8_t n;
    uint8_t state;
    uint8_t op;
    uint8_t tries;
};

/* Set up, not held. All is borrowed. A bad name, ttl or number of servers is reported by acquire. */
void rdl_redlock_init(struct rdl_redlock *r, const struct rdl_redlock_options *opt,
                      struct rdl_server *servers, size_t n, const void *name, size_t name_len);

int rdl_redlock_acquire_begin(struct rdl_redlock *r, const uint8_t entropy[RDL_ENTROPY_LEN], uint64_t now_ms);
int rdl_redlock_extend_begin(struct rdl_redlock *r, uint32_t ttl_ms, uint64_t now_ms);
int rdl_redlock_release_begin(struct rdl_redlock *r, uint64_t now_ms);
/* Also between operations: late answers are taken in, late releases go out. */
int rdl_redlock_step(struct rdl_redlock *r, uint64_t now_ms);
uint64_t rdl_redlock_wake_ms(const struct rdl_redlock *r);
void rdl_redlock_cancel(struct rdl_redlock *r);
uint32_t rdl_redlock_remaining_ms(const struct rdl_redlock *r, uint64_t now_ms);
/* When the lease ends for us (absolute, ms); 0: not held. */
uint64_t rdl_redlock_until_ms(const struct rdl_redlock *r);
/* No server has anything left to say or to be told. */
int rdl_redlock_is_idle(const struct rdl_redlock *r);

/* How many servers had this vote in the last operation; the majority of the configured servers. */
unsigned rdl_redlock_count(const struct rdl_redlock *r, enum rdl_vote vote);
unsigned rdl_redlock_quorum(const struct rdl_redlock *r);

/*
 * One line for people on server i after an operation: "granted in 3 ms", "refused: OOM command not
 * allowed ...", "no answer in 250 ms". NUL-terminated, cut to cap (128 is enough). Returns its length.
 */
size_t rdl_redlock_report(const struct rdl_redlock *r, size_t i, char *out, size_t cap);

/* Blocking (redlock_io.c). drain waits until idle or until_ms: call it before exit. */
int rdl_redlock_acquire(struct rdl_redlock *r, const struct rdl_net *net);
int rdl_redlock_extend(struct rdl_redlock *r, const struct rdl_net *net, uint32_t ttl_ms);
int rdl_redlock_release(struct rdl_redlock *r, const struct rdl_net *net);
int rdl_redlock_drain(struct rdl_redlock *r, const struct rdl_net *net, uint64_t until_ms);

/* ---------------------------------------------------------------- keeper.c */

/*
 * "Hold this until I say stop", as a pure state machine: it says when to renew and when the lease is
 * lost, you do it. It renews at a third of the ttl, and after a failed renewal tries again soon.
 */
struct rdl_keeper {
    uint64_t renew_ms;
    uint64_t until_ms;
    uint32_t ttl_ms;
};

enum rdl_keeper_action { RDL_KEEPER_SLEEP, RDL_KEEPER_RENEW, RDL_KEEPER_LOST };

/* The lease was just acquired or renewed: it ends at until_ms (rdl_redlock_until_ms). */
void rdl_keeper_renewed(struct rdl_keeper *k, uint32_t ttl_ms, uint64_t until_ms, uint64_t now_ms);
/* A renewal failed without the lease being lost (RDL_UNKNOWN, an error): when to try again. */
void rdl_keeper_failed(struct rdl_keeper *k, uint64_t now_ms);
/* What to do now; with SLEEP, *at_ms is when to ask again. */
enum rdl_keeper_action rdl_keeper_next(const struct rdl_keeper *k, uint64_t now_ms, uint64_t *at_ms);

/* Words for any result of libredlock; never NULL. */
const char *rdl_strerror(int result);

#ifdef __cplusplus
}
#endif

#endif
