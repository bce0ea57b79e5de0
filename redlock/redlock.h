/* SPDX-License-Identifier: MIT */
/*
 * redlock.h - one lock on N independent servers (Redlock), and the renewal timer that renews it.
 *
 *     static struct rdl_posix_conn conns[5];
 *     struct rdl_server servers[5];
 *     struct rdl_redlock lock;
 *     static const struct rdl_redlock_options opt = {
 *         .lease = {.ttl_ms = 2000, .wait_ms = 5000, .retry_ms = 50},
 *         .max_ttl_ms = 2000,
 *         .guard = RDL_GUARD_IF_PERMITTED,
 *     };
 *     ...
 *     for (i = 0; i < 5; i++)
 *         servers[i].conn = &conns[i].conn;
 *     rdl_redlock_init(&lock, &opt, servers, 5, RDL_NAME("nightly"));
 *     int rc = rdl_redlock_acquire(&lock, &platform);
 *
 * (redlock/examples/minimal.c is the whole program; redlock(3) has the functions that most programs need.)
 *
 * The lock is held while a majority of the *configured* servers has granted it: N/2 + 1, never fewer,
 * whatever is down. All servers are asked at once; an operation ends as soon as its outcome is certain
 * (a majority said yes, or can no longer), so a slow or dead minority costs nothing. What the others
 * still have to say, or to be told, goes on in the background of later steps. An attempt that cannot get a
 * majority any more gives back at once what it has; that it was RDL_BUSY, and not RDL_NO_QUORUM, may take
 * until the others have answered, within the attempt's time.
 *
 * Usage is that of lock.h: blocking calls, or _begin and rdl_redlock_step; read, then step.
 *
 * Lifetime: the handle, its servers[], canaries[] and hint are in use while an operation is RDL_PENDING,
 * and from an acquire or adopt that succeeds until release or cancel returns, or an extend returns RDL_LOST
 * or RDL_E_GAP. The passing of time does not end this: release or cancel a lease that ran out as well.
 * (An acquire on the same handle ends it first.) At all other times nothing in the library refers to this
 * memory: free it, or set it up again there or elsewhere. Servers that have not answered by then are not
 * waited for (RDL_E_ABANDONED). Pending releases go out as the conns are serviced. A release that finds its
 * conn's queue full when the call returns is queued by later steps of the handle, or the key ends by its
 * ttl. Debug builds assert when memory that is still referenced is set up again.
 *
 * Results (see lock.h for what they have in common):
 *
 *     operation  result            what happened                                     remaining_ms
 *     acquire    RDL_OK            a majority granted it, in time                    > 0
 *                RDL_BUSY          enough servers answered, too few granted          0
 *                RDL_EXPIRED       granted by a majority, but too late to be of use  0
 *                RDL_NO_QUORUM     a majority of the servers gave no useful answer   0
 *                RDL_E_QUARANTINE  too many came up less than max_ttl ago            0
 *     extend     RDL_OK            a majority had it still and keeps it              > 0, never less
 *                RDL_REPAIRED      the same, and it was put back where it was gone   > 0, never less
 *                RDL_ADOPTED       a token from elsewhere is ours now                > 0
 *                RDL_HELD_WITH_GAP       a majority has it, but not without a gap          > 0
 *                RDL_E_GAP    the same, and the options do not accept it        0
 *                RDL_LOST          the time was up, or a majority has it no more     0
 *                RDL_UNKNOWN       no majority either way in time                    as before the call
 *                RDL_E_CAP         held for as long as the options allow             as before the call
 *     release    RDL_OK            let go; a majority is free of it                  0
 *                RDL_EXPIRED       a majority had it no more (a warning)             0
 *                RDL_LOST          somebody else holds a majority by now             0
 *                RDL_UNKNOWN       no majority answered, or it was refused; pending  0
 *                                  or answered after a cut, and may be another run
 *
 * A release that is sent again after a cut and finds nothing, or somebody else's key, was done the first time
 * if the same run of that server answers (run_id). Another run is believed as it answers: gone, or somebody
 * else's. Where INFO is refused nobody knows which it is, and the vote is RDL_VOTE_UNKNOWN.
 *
 * Releases that servers refuse with an error that passes stay pending (lock.h) until the key must have
 * expired. For an adopted key that is max_ttl and a second after the first refusal. After RDL_UNKNOWN the
 * handle may release again: servers that have said what became of the key are not asked twice.
 *
 * When half of what was left at the first extend that failed is over and no majority has confirmed one, the
 * connections of the lock that are silent are ended (rdl_conn_abort_if_stalled): over new ones the lease may
 * be saved. From then on a connection counts as silent after this lock's own attempt, however long others
 * wait.
 *
 * Whether there was a gap is told of servers that forget nothing unseen: the restart guard sees a restart,
 * the canary lost data (DESIGN.md, section 7).
 */
#ifndef RDL_REDLOCK_H
#define RDL_REDLOCK_H

#include "lock/lock.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RDL_NO_QUORUM = -50,     /* too few servers gave a useful reply */
    RDL_E_SERVERS = -51,     /* a redlock has 1 to 7 servers */
    RDL_E_GUARD = -52,       /* rdl_redlock_options.guard is not set */
    RDL_E_QUARANTINE = -53,  /* so many servers restarted so recently that the others are no majority */
    RDL_E_DUPLICATE = -54,   /* of one server: it is another one of them, behind a second address */
    RDL_E_GAP = -55,         /* a majority has it, but as it was put back: somebody may have had it between */
    RDL_E_CAP = -56,         /* max_extensions or max_hold_ms is reached; the lease runs out */
    RDL_E_SERVER_INFO = -57, /* a conn has no room for its server's INFO (rdl_conn_config.server_info) */
    RDL_E_SHARED = -58,      /* another redlock was set up with these servers[] */
    RDL_E_GUARD_LATE = -59,  /* the redlock was set up after its conn was opened (rdl_guard_conn) */

    RDL_HELD_WITH_GAP = 5 /* as RDL_E_GAP, and the options accept a gap: held */
};

enum { RDL_SERVERS_MAX = 7 };

/*
 * The restart guard: a server that came up less than max_ttl ago may have forgotten a lease, so what it
 * grants is not counted until max_ttl and a second are over (quarantine). One that is another run than a conn
 * saw before may be another server, which its address leads to now: it counts max_ttl and a second after it
 * was first seen, whatever its uptime.
 *
 * A run is told from another one by its run_id. Where INFO shows an uptime and no run_id (Dragonfly, older
 * Kvrocks) it is told by its start, and a server that is listed twice is not noticed.
 *
 * A server refuses INFO if it does not permit or does not know it, or if it says so in other words that name
 * INFO, as a proxy may. Those do not count as a refusal once INFO was answered over the conn, nor under the
 * first two guards; the connection then fails, as after any other error, and is tried again.
 */
enum rdl_guard {
    RDL_GUARD_STRICT = 1,   /* from when this process first saw that run of the server */
    RDL_GUARD_REQUIRED,     /* from its uptime, read by INFO; a server that refuses INFO never counts */
    RDL_GUARD_IF_PERMITTED, /* the same, but one that refuses INFO counts at once */
    RDL_GUARD_OFF           /* for servers that forget nothing (appendfsync always) */
};

/*
 * From now on ask every new connection of c first what kind of server that is, before any request:
 * rdl_redlock_init does so by itself. A replica, or a node of a cluster, is refused (RDL_E_READONLY,
 * RDL_E_CLUSTER). Call it before the conn is opened; again does no harm. RDL_OK; RDL_E_SERVER_INFO, or
 * RDL_E_GUARD_LATE if the conn is open and was not asked: nothing is changed.
 */
int rdl_guard_conn(struct rdl_conn *c);

/* Fencing over N servers; an object, so that a static link drops it where nobody names it. */
struct rdl_fencing_ops;
extern const struct rdl_fencing_ops rdl_fencing;

/* How to ask for a lock on N servers; borrowed, constant. */
struct rdl_redlock_options {
    struct rdl_lock_options lease;
    uint32_t max_ttl_ms;     /* the longest ttl of any client of these servers, the same for all; required */
    uint32_t max_hold_ms;    /* no extend beyond so long after the acquire; 0: no limit */
    uint32_t max_extensions; /* 0: no limit */
    /* &rdl_fencing: acquire gives a fencing number; NULL: none. */
    const struct rdl_fencing_ops *fencing;
    uint8_t guard;      /* enum rdl_guard; required */
    uint8_t accept_gap; /* extend: go on even if somebody may have held it in between (RDL_HELD_WITH_GAP) */
};

enum rdl_vote {
    RDL_VOTE_NONE,    /* not asked, or skipped */
    RDL_VOTE_PENDING, /* asked, no answer yet */
    RDL_VOTE_GRANTED, /* granted, extended, deleted */
    RDL_VOTE_DENIED,  /* somebody else's */
    RDL_VOTE_ABSENT,  /* extend, release: no such key */
    RDL_VOTE_ERROR,   /* refused with an error */
    RDL_VOTE_UNKNOWN  /* asked, and no answer will come, or none that says anything (see above) */
};

/* One server as one redlock sees it. Set conn; the rest is private until an operation has ended. */
struct rdl_server {
    struct rdl_conn *conn;
    uint8_t vote;          /* enum rdl_vote */
    uint8_t counts;        /* the restart guard lets its vote count */
    uint8_t needs_release; /* a SET with the current token was queued: it is owed a release */
    uint8_t certainty;     /* what we had there when it was last heard (redlock_private.h) */
    uint8_t is_repair;     /* what it was asked last was to put the key back */
    uint8_t raise;         /* fenced: it was asked to hold the number (redlock_fenced.c) */
    uint8_t numbered;      /* fenced: it holds it, or a greater one */
    uint8_t is_past;       /* since it last granted: another run was seen, or nothing was asked for a ttl */
    uint8_t user;          /* of the first: which redlock they were set up for last */
    int16_t error;         /* ERROR, UNKNOWN, NONE: why (RDL_E_...) */
    uint32_t took_ms;      /* how long the answer took */
    uint64_t asked_ms;
    int64_t value; /* DENIED: the key's PTTL, -1 no expiry, -2 not known; GRANTED, fenced: its number */
    struct rdl_req req;
};

/*
 * The canary of one server (opt-in, rdl_redlock_set_canary): the key RDL_CANARY_KEY, without expiry, made by
 * the first client that misses it. A server where it is gone, or is another server's, may have lost locks
 * (FLUSHALL, a promoted replica that was behind) and does not count for max_ttl and a second, as after a
 * restart. It is read behind every SET and extend, which costs two small replies and no round trip (with
 * fencing: one).
 */
struct rdl_canary_ops;
struct rdl_canary {
    const struct rdl_canary_ops *ops;
    uint8_t stage;
    uint8_t answer;
    uint8_t is_early; /* asked in one go with the vote */
    int16_t error;
    uint32_t created_s; /* by the server's clock */
    int64_t since_ms;   /* it has its data since */
    struct rdl_req req;
    char found[RDL_VALUE_MAX];
};

#define RDL_CANARY_KEY "rdl:canary" /* no lock can have this name: RDL_E_NAME */

struct rdl_redlock {
    const struct rdl_redlock_options *opt;
    struct rdl_server *servers;
    struct rdl_canary *canaries; /* or NULL */
    uint8_t n;
    uint8_t state;
    uint8_t action;
    uint8_t tries;
    uint8_t name_len;
    uint8_t user;              /* as the first server's, or they were set up for another one since */
    uint8_t is_next;           /* entropy is to be used */
    uint8_t probe_server;      /* who is asked first, alone, plus 1; 0: all are asked */
    uint8_t by_probe_server;   /* this attempt began with one */
    uint8_t probe_server_next; /* the next one shall */
    uint8_t probe_server_skip; /* bit i: server i is no use as one */
    int16_t result;
    uint16_t attempts; /* these four are of the last acquire, the times cut to 32 bits: rdl_stats */
    uint16_t refused;
    struct rdl_hint *hint; /* or NULL */
    const void *name;
    uint32_t begun_ms;
    uint32_t stepped_ms;
    uint32_t ttl_ms;
    uint32_t abort_below_ms; /* half of what was left at the first failed extend; 0: none; 1: it was done */
    uint32_t seed;
    uint32_t extensions;
    uint64_t sent_ms;     /* t1 of the attempt, the extend, the release */
    uint64_t until_ms;    /* end of validity; 0: not held; UINT64_MAX: adopted, not confirmed yet */
    uint64_t since_ms;    /* held since */
    uint64_t keys_end_ms; /* by then every key of ours is gone by itself; UINT64_MAX: adopted, not known */
    uint64_t deadline_ms; /* of the whole operation; a release: when the lease ended or would have */
    uint64_t wake_ms;     /* when the current state ends */
    uint64_t tick_ms;
    uint64_t fence;  /* fenced: the number given last; the next is greater */
    uint64_t least;  /* and not less than this; 0: none was set */
    uint64_t number; /* that of this lease; 0: none */
    struct rdl_token token;
    uint8_t entropy[RDL_ENTROPY_LEN]; /* of an acquire that has not asked yet: the old token is needed */
};

/*
 * Set up, not held. All is borrowed. Each redlock has servers[] of its own, while many share the conns. If
 * another one is set up with these servers[], the calls of this one return RDL_E_SHARED; release and cancel
 * then end its lease, but its keys stay to the end of their ttl.
 *
 * Pass conns that are set up and not open yet, unless another redlock uses them already: this call has them
 * ask their servers for what the restart guard needs. Otherwise acquire returns RDL_E_GUARD_LATE until that
 * connection has ended and you set the handle up again. What is wrong with a name, a ttl, the options or the
 * number of servers is reported by acquire.
 */
int rdl_redlock_init(struct rdl_redlock *r, const struct rdl_redlock_options *opt, struct rdl_server *servers,
                     size_t n, const void *name, size_t name_len);

/*
 * Let it look at canaries: one for each server, borrowed like those; before the first acquire. All clients
 * of the servers should. With ACLs, grant access to RDL_CANARY_KEY; a server that denies it is treated
 * like one that denies INFO. A client that may read it but not use INFO, or whose server shows no run_id,
 * takes any canary for this run's. On servers that never had one, the first acquire waits as after a restart.
 * It cannot detect a promoted replica that has the canary but lost recent locks: do not list replicas. On
 * servers before Redis 5, or without scripts, nothing that makes one may be under way for longer than max_ttl
 * (DESIGN.md, section 6). With fencing it takes acquire and extend a second round trip: attempt_ms, if set,
 * must have room for both. With RDL_GUARD_STRICT keep them from one acquire to the next: a canary counts from
 * when this memory first saw it.
 */
void rdl_redlock_set_canary(struct rdl_redlock *r, struct rdl_canary *each);

/*
 * Let waiting be cut short by a hint (lock.h): its second conn goes to server 0. While that one refuses, an
 * acquire waits for a release there; all is as with a single lock otherwise. All clients name the servers in
 * the same order. NULL: none.
 */
void rdl_redlock_set_hint(struct rdl_redlock *r, struct rdl_hint *hint);

/*
 * As with a single lock (lock.h). An operation that finds no majority of the conns there waits for one first,
 * for as long as the longest connect_ms allows and, an extend, as its lease lasts; its attempt begins then.
 * Where a majority is refused it begins at once.
 */
int rdl_redlock_acquire_begin(struct rdl_redlock *r, const uint8_t entropy[RDL_ENTROPY_LEN], uint64_t now_ms);
/* As rdl_lock_extend_begin; besides RDL_E_CAP, and RDL_E_TTL if the ttl is above max_ttl. */
int rdl_redlock_extend_begin(struct rdl_redlock *r, uint32_t ttl_ms, uint64_t now_ms);
/* As rdl_lock_release_begin, of all servers that may have it. */
int rdl_redlock_release_begin(struct rdl_redlock *r, uint64_t now_ms);
/* Also between operations: late answers are taken in, late releases go out. */
int rdl_redlock_step(struct rdl_redlock *r, uint64_t now_ms);
/* When to step at the latest, between operations too: UINT64_MAX if nothing is waited for. */
uint64_t rdl_redlock_wake_ms(const struct rdl_redlock *r);
/* Give up in any state, as rdl_lock_cancel: releases go out as the conns are driven on. */
void rdl_redlock_cancel(struct rdl_redlock *r);
/* How long the lease is still ours, by our own clock; 0 when it is not. */
uint32_t rdl_redlock_remaining_ms(const struct rdl_redlock *r, uint64_t now_ms);
/* When the lease ends for us (absolute, ms); 0: not held. */
uint64_t rdl_redlock_until_ms(const struct rdl_redlock *r);
/* No server has anything left to say or to be told. */
int rdl_redlock_is_idle(const struct rdl_redlock *r);

/*
 * Make a handle of a token from elsewhere, as 40 hex digits: release it at once, or extend it. RDL_ADOPTED
 * then, if a majority has that token; validity counts from that send, and nothing is put back where it is
 * gone. What rdl_lock_adopt says holds here too: of whoever had it, of what is owed to it, and of what this
 * handle held until now. RDL_OK, or RDL_E_TOKEN if these are not 40 hex digits.
 */
int rdl_redlock_adopt(struct rdl_redlock *r, const char *token_hex, size_t len);
/* The token as 40 hex digits and a NUL, to hand it on. */
void rdl_redlock_token(const struct rdl_redlock *r, char out[RDL_TOKEN_TEXT_MAX]);

/*
 * Fenced: set the least number that the next acquire may give, e.g. the wall clock in ms: from 1 to
 * RDL_FENCE_MAX, or 0 for none. Any time; it takes effect from the next attempt on. An acquire returns
 * RDL_E_FENCE_RANGE as with one server (rdl_lock_set_min_fence), if so many gave a number that is too great
 * that no majority is left; rdl_redlock_error says which.
 *
 * Numbers are unique and grow from holder to holder. That is promised as long as at most h + q - N - 1 of the
 * h servers that held the last number lost {name}:fence, or came back with an older one; N are configured, q
 * are a majority. An acquire waits until q hold it: of an odd N none of them may lose it then. All others
 * that answer are raised to it too, late ones in steps between operations, and by each extend: if all five
 * hold it two may lose it, of three one. Beyond that wall clocks as minimum help, as rdl_lock_set_min_fence
 * says, with max_ttl as the longest ttl.
 */
void rdl_redlock_set_min_fence(struct rdl_redlock *r, uint64_t min);
/*
 * Fenced: the number of the lease held; give it to the resource, which refuses smaller ones. 0: none; it is
 * void after RDL_HELD_WITH_GAP, and an adopted lease has none.
 */
uint64_t rdl_redlock_fence(const struct rdl_redlock *r);
/* Fenced: h of above, how many servers have said that they hold the number of the lease held. */
unsigned rdl_redlock_fence_holders(const struct rdl_redlock *r);

/*
 * What the last acquire cost, until the next begins; one that is refused at once does not count. sets are
 * those to all servers together, also those that are sent late, behind the grant.
 */
struct rdl_stats rdl_redlock_stats(const struct rdl_redlock *r);

/*
 * After RDL_BUSY: in how many ms enough of the keys in the way end by themselves; -1: never (no expiry); -2:
 * not known.
 */
int64_t rdl_redlock_holder_ms(const struct rdl_redlock *r);

/* When what server i grants begins to count (absolute, ms); 0: it does; UINT64_MAX: never, as it is. */
uint64_t rdl_redlock_counts_at(const struct rdl_redlock *r, size_t i);
/* 1: server i may delete locks when its memory is full (maxmemory-policy is not noeviction). */
int rdl_redlock_may_evict(const struct rdl_redlock *r, size_t i);

/*
 * Why server i gave no useful answer in the last operation, or has none now: RDL_E_...; RDL_OK: no reason.
 * RDL_E_ABANDONED: nothing is wrong with it, it was not waited for.
 */
int rdl_redlock_error(const struct rdl_redlock *r, size_t i);

/* How many servers had this vote in the last operation. */
unsigned rdl_redlock_count(const struct rdl_redlock *r, enum rdl_vote vote);

/*
 * One line for people on server i after an operation: "done in 3 ms", "held by another client for another
 * 800 ms", "timed out" (it was waited for as long as its answer may take), "not waited for" (the outcome was
 * certain before), "restarted too recently to count for another 27000 ms". NUL-terminated, cut to cap (128 is
 * enough). Returns its length.
 */
size_t rdl_redlock_report(const struct rdl_redlock *r, size_t i, uint64_t now_ms, char *out, size_t cap);

/* ---------------------------------------------------------------- blocking (redlock_io.c) */

/*
 * As rdl_lock_acquire: for wait_ms of the options at most, and one attempt at least. RDL_E_INTERRUPTED
 * likewise; extend, release and drain are not interrupted, so that a program can clean up after a signal.
 */
int rdl_redlock_acquire(struct rdl_redlock *r, const struct rdl_platform *platform);
/* Waits for one attempt, and for a majority of the conns; not beyond the lease. */
int rdl_redlock_extend(struct rdl_redlock *r, const struct rdl_platform *platform, uint32_t ttl_ms);
/* Waits for one attempt, and for a majority of the conns. What the others are owed goes out with drain. */
int rdl_redlock_release(struct rdl_redlock *r, const struct rdl_platform *platform);
/*
 * Before exit: reads, then waits until idle (RDL_OK) or until_ms (RDL_E_TIMEOUT), and has all that came
 * taken in.
 */
int rdl_redlock_drain(struct rdl_redlock *r, const struct rdl_platform *platform, uint64_t until_ms);

/* ---------------------------------------------------------------- renewal.c */

/*
 * "Hold this until I say stop", as a pure state machine: it says when to renew and when the lease is
 * lost, you do it. It renews at a third of the ttl, or halfway to the end if that is sooner (an answer that
 * came late), and tries a failed renewal again after a twentieth of what is left.
 */
struct rdl_renewal {
    uint64_t renew_ms;
    uint64_t until_ms;
    uint32_t ttl_ms;
};

enum rdl_renewal_action { RDL_RENEWAL_SLEEP, RDL_RENEWAL_RENEW, RDL_RENEWAL_LOST };

/* The lease was just acquired or renewed: it ends at until_ms (rdl_redlock_until_ms). */
void rdl_renewal_renewed(struct rdl_renewal *k, uint32_t ttl_ms, uint64_t until_ms, uint64_t now_ms);
/* A renewal failed without the lease being lost (RDL_UNKNOWN, an error): when to try again. */
void rdl_renewal_failed(struct rdl_renewal *k, uint64_t now_ms);
/* What to do now; with SLEEP, *at_ms is when to ask again. */
enum rdl_renewal_action rdl_renewal_next(const struct rdl_renewal *k, uint64_t now_ms, uint64_t *at_ms);

#ifdef __cplusplus
}
#endif

#endif
