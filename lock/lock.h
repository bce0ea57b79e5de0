/* SPDX-License-Identifier: MIT */
/*
 * lock.h - one lock on one server.
 *
 * A newcomer's program (lock/examples/minimal.c is the whole of it):
 *
 *     static struct rdl_posix_conn server;
 *     ...
 *     struct rdl_lock lock;
 *     static const struct rdl_lock_options opt = {.ttl_ms = 10000, .wait_ms = 5000, .retry_ms = 50};
 *     ...
 *     rdl_lock_init(&lock, &opt, &server.conn, RDL_NAME("nightly"));
 *     int rc = rdl_lock_acquire(&lock, &platform);
 *     if (rc < 0) {
 *         fprintf(stderr, "%s\n", rdl_strerror(rc));
 *         return 1;
 *     }
 *     while (work_is_left() && rdl_lock_remaining_ms(&lock, rdl_now(&platform)) > 1000)
 *         do_a_little();
 *     rdl_lock_release(&lock, &platform);
 *
 * What you hold is a lease: it ends by itself after the ttl, whatever you do. So there is
 * rdl_lock_remaining_ms, which is a function of the time, and deliberately no "is it locked".
 *
 * Two ways to use it. Blocking: rdl_lock_acquire, rdl_lock_extend, rdl_lock_release over a struct
 * rdl_platform. In an event loop or a simulator: the _begin functions, then rdl_lock_step whenever the
 * conn did something or rdl_lock_wake_ms has come, until it no longer says RDL_PENDING. Read, then step, with
 * one now_ms for a turn of the loop: what has come and was not read counts as no answer.
 *
 * Lifetime: a lock and its hint are in use while an operation is RDL_PENDING, and from an acquire or adopt
 * that succeeds until release or cancel returns or an extend returns RDL_LOST; the passing of time does not
 * end this. At all other times nothing in the library refers to them: free them, or set them up again there
 * or elsewhere. Pending releases go out as the conn is serviced. Debug builds assert when memory that is
 * still referenced is set up again.
 *
 * One server can lose its memory, and lock/ has no restart guard: a server that restarts without its
 * data grants the lock a second time. redlock.h is for those who must not have that.
 *
 * Results (>= 2 is a success with news; negative: not held, or no longer):
 *
 *     operation  result       what happened                                       remaining_ms
 *     acquire    RDL_OK       granted                                             > 0
 *                RDL_BUSY     somebody else holds it                              0
 *                RDL_EXPIRED  granted, but the reply came too late to be of use   0
 *                RDL_UNKNOWN  no answer; a release follows if it was sent         0
 *                RDL_E_...    the server or the connection said why               0
 *     extend     RDL_OK       at least ttl from the moment of sending             > 0, never less than before
 *                RDL_ADOPTED  a token from elsewhere is ours now                  > 0
 *                RDL_LOST     expired, or somebody else's                         0
 *                RDL_UNKNOWN  no answer in time                                   as before the call
 *                RDL_OVERWRITTEN  see RDL_LEGACY_SHORTEST                         as before the call
 *                RDL_E_...    refused; the lease goes on                          as before the call
 *     release    RDL_OK       deleted                                             0
 *                RDL_REMOVED  and what a waiter had written over it (legacy)      0
 *                RDL_EXPIRED  it was already gone (a warning)                     0
 *                RDL_LOST     somebody else holds it by now                       0
 *                RDL_OVERWRITTEN  a waiter's value stays there (legacy)           0
 *                RDL_UNKNOWN  no answer; the release stays pending                0
 *                             or gone after a cut, see below; or gone or another's,
 *                             where the server permits no PTTL; nothing is pending then
 *                RDL_E_...    refused; pending if the error passes, else the      0
 *                             ttl ends it
 *
 * RDL_E_TIMEOUT of acquire and extend: the connection is silent (rdl_conn_set_timeout), and nothing was sent.
 * When half of what was left at the first extend that failed is over, the next extend ends such a connection,
 * whatever other locks have asked over it (rdl_conn_abort_if_stalled), and goes over a new one. From then on
 * the connection counts as silent after this lock's own attempt, however long others wait.
 *
 * RDL_LOST of a release may come from a replica, and then says nothing about its master: on a connection
 * that does not ask the server for its role (rdl_guard_conn in redlock.h).
 *
 * A release whose connection ends before the answer is sent again over the next one, and waited for as long
 * as the first would have been. Where it finds nothing then, or somebody else's key, while the lease was
 * valid, it was done the first time; or the server was killed, which is what ended the connection, and came
 * back without its data. On one server nobody asks which run of it answers, so that is RDL_UNKNOWN: nothing
 * of ours is there and nothing stays owed, but whether somebody else had it before we let go is not known.
 *
 * A release that is refused with an error that passes (the server is loading, busy or cannot write: "again"
 * in resp/WIRE.md) is pending: while you service the conn (rdl_conn_tick) it sends the release again after
 * a pause, until the key must have expired; for an adopted key that is the ttl of the options after the first
 * refusal. The handle need not exist any more. While it does, it may release again after RDL_UNKNOWN or
 * RDL_E_..., and its next acquire sends that release first; extend returns RDL_LOST. Nobody may extend or
 * adopt the token of a lock after its release has begun: a pending release would delete the key under its new
 * holder. (RDL_LEGACY_INTEGER: its value does not tell holders apart, so its release is not sent again by
 * itself.)
 */
#ifndef RDL_LOCK_H
#define RDL_LOCK_H

#include "net/net.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RDL_RECOVERED = 2, /* taken over from a holder whose lease had expired (legacy mode) */
    RDL_REPAIRED = 3,  /* extended, and restored on servers that had lost it (redlock) */
    RDL_ADOPTED = 4,   /* a token from elsewhere is ours now */
    RDL_REMOVED = 6,   /* released, and a waiter's value that stood there instead was deleted (legacy) */

    RDL_E_NAME = -40,          /* a lock's name must have 1 to 128 bytes */
    RDL_E_TTL = -41,           /* ttl of 0, above RDL_TTL_MAX or max_ttl, or under four attempts */
    RDL_BUSY = -42,            /* somebody else holds it */
    RDL_LOST = -43,            /* it was ours and is not any more */
    RDL_EXPIRED = -44,         /* its time was up: granted too late, or gone before the release */
    RDL_UNKNOWN = -45,         /* no answer, so nobody can say */
    RDL_E_FOREIGN_VALUE = -46, /* legacy: the key holds what is no lock of this kind; never taken over */
    RDL_E_FENCE = -47,         /* fencing needs scripts, and the server has none */
    RDL_E_MULTI = -48,         /* several locks at once need scripts, and the server has none */
    RDL_OVERWRITTEN = -49, /* legacy: nobody else can have it yet, but a waiter wrote his value over ours */

    RDL_E_FENCE_RANGE = -60, /* a fence number, or the least that was set, is not from 1 to RDL_FENCE_MAX */
    RDL_E_TOKEN = -61        /* not 40 hex digits; or a lock of the old protocol, which has no token */
};

#define RDL_TTL_MAX      2147483647u         /* ms */
#define RDL_WAIT_FOREVER 4294967295u         /* ms */
#define RDL_FENCE_MAX    9007199254740991uLL /* 2^53 - 1: scripts count in doubles */

/*
 * Expands to a name that is a string literal, and its length: rdl_lock_init(&lock, &opt, &conn,
 * RDL_NAME("nightly")). Anything but a literal does not compile.
 */
#define RDL_NAME(literal) ("" literal), (sizeof(literal) - 1)

enum {
    RDL_TOKEN_TEXT_MAX = 82, /* bytes of a token as text, with its NUL; today 41 are used */
    RDL_ENTROPY_LEN = 16,    /* bytes an acquire wants, see rdl_token */
    RDL_ATTEMPT_MIN_MS = 5,
    RDL_ATTEMPT_MAX_MS = 250,
    RDL_QUEUE_RETRY_MS = 5, /* how long to wait for room in a queue before looking again */
    RDL_RETRY_CAP_MS = 500  /* longest pause between attempts */
};

/*
 * How to ask for a lock; borrowed, constant. Zero in all but ttl_ms is a good start: one attempt.
 *
 * With attempt_ms 0 an attempt waits for ttl/20 within 5 to 250 ms, or, where that is more, for three round
 * trips, a quarter of the ttl at most. A round trip is the longest of the connection's login: connecting,
 * AUTH, the other commands and questions. (Of N servers: the quorum-th smallest of theirs.) Where nothing is
 * to be said before the first request only connecting is timed: behind a proxy that is near, set attempt_ms.
 */
struct rdl_lock_options {
    uint32_t ttl_ms;     /* the lease: 4 attempts..RDL_TTL_MAX */
    uint32_t wait_ms;    /* try again for so long; RDL_WAIT_FOREVER */
    uint32_t retry_ms;   /* first pause, then doubling, always jittered; 0: exactly one attempt */
    uint32_t attempt_ms; /* how long an attempt, an extend or a release waits for answers; 0: see above */
    /*
     * Fenced: when nobody has held the lock for so long its number is forgotten, and the next is 1 or the
     * floor; to RDL_TTL_MAX. 0: never, which is safe, and costs each name that was ever locked a small key
     * for good. All clients of a name say the same: who took it last decides.
     */
    uint32_t fence_expiry_ms;
};

/* ---------------------------------------------------------------- for the conn's configuration */

/*
 * The methods to extend and to release what is ours, tried in order. A command that a server refuses
 * (unknown, renamed, forbidden) is remembered until the connection ends, and the next method is taken. A key
 * that the user may not use concerns its lock alone. After an unknown error (resp/WIRE.md) the next method is
 * tried, too, and this is remembered if it works. A static link has the methods of the list that it names and
 * no others.
 */
extern const struct rdl_methods rdl_methods_script; /* by script alone, which all servers from 2.6 on know */
/* By script; to extend then by WATCH..EXEC; to release by DELEX, DELIFEQ, WATCH..EXEC. */
extern const struct rdl_methods rdl_methods_all;

/* ---------------------------------------------------------------- of a lock on one server or on many */

/*
 * What an acquire cost, whatever came of it: for logs and metrics. In a crowd busy and took_ms grow; sets are
 * what the servers had to do for it. Both counts stay at 65535 once they are there.
 */
struct rdl_stats {
    uint16_t attempts; /* SETs sent; a script, or all that an attempt of the old protocol takes, is one */
    uint16_t refused;  /* attempts that ended with RDL_BUSY */
    uint32_t took_ms;  /* from begin to the step that ended it; while it goes on, to the last step */
};

enum rdl_action { RDL_ACQUIRE, RDL_EXTEND, RDL_RELEASE };

/*
 * A token for every attempt, never used twice: 16 bytes given at begin, and the attempt's number.
 *
 * The bytes are the caller's promise: no other acquire of that name is ever given them, by this handle or any
 * other, on any host. So they are drawn for each acquire and not once for a handle, which a fork or a
 * machine's snapshot would share. They need not be secret: rdl_platform.random says what a board may use. Two
 * handles that are given the same can each release what the other holds.
 *
 * The number is not set back: it counts on from acquire to acquire, and from a token that was adopted. So one
 * handle that is given the same bytes again, or those that its adopted token was made of, still takes another
 * token than it had last, and no release that is owed to that one can take the new lease away.
 */
struct rdl_token {
    uint8_t bytes[RDL_TOKEN_LEN];
};

/* ---------------------------------------------------------------- the wake hint (lock_hint.c), opt-in */

enum { RDL_HINT_CAP_MS = 1000 /* longest pause with a hint, so what a lost one costs at most */ };

/*
 * Who waits for a lock is told when it is released, and need not ask again and again: a release also puts an
 * element into the list {name}:wake, and each waiter blocks (BLPOP) on a connection of its own that the
 * caller supplies. One release wakes one waiter, in the order in which they began to wait.
 *
 *     struct rdl_hint hint;
 *     rdl_hint_init(&hint, &second_conn);
 *     rdl_lock_set_hint(&lock, &hint);
 *
 * It is a hint and no more: ownership comes from SET NX alone, so it mixes with clients that know nothing of
 * it. A holder that dies or releases without telling, a waiter that takes a hint and dies: the others try
 * again when the holder's ttl is over, and after RDL_HINT_CAP_MS at the latest. Where BLPOP is refused (ACL)
 * or the second conn is not there, the pauses are the usual ones; where scripts are refused, a release tells
 * nobody. Before Redis 6.0 the server waits for whole seconds: the pause ends without it. On a cluster node a
 * name with a '}' in it needs a tag, {so}: else a release says RDL_E_CLUSTER, and the ttl ends the lease.
 *
 * One hint serves one lock; of several that share a conn one waits with it, the others pause as usual.
 */
struct rdl_hint;

/* How it is done; an object, so that a static link drops it where it is not used. Private. */
struct rdl_hint_ops {
    /*
     * Wait: left_ms at most, and for what the holder has left (< 0: not known). How long the pause is then;
     * UINT64_MAX: there is no hint, pause as usual.
     */
    uint64_t (*begin)(struct rdl_hint *h, struct rdl_bytes name, int64_t holder_ms, uint64_t left_ms,
                      uint64_t now_ms);
    int (*fired)(struct rdl_hint *h);    /* 1, once: the wait has ended, try now */
    void (*end)(struct rdl_hint *h);     /* nobody waits any more */
    const struct rdl_op *release;        /* tells a waiter */
    const struct rdl_op *release_strict; /* the same for a lock of the old protocol */
};

struct rdl_hint {
    const struct rdl_hint_ops *ops;
    struct rdl_conn *conn;
    uint8_t fruitless;  /* hints in a row that did not bring the lock */
    uint8_t is_refused; /* by this server, for this connection's life */
    struct rdl_req req;
    uint64_t ends_ms; /* when the server is to end the wait */
};

/* conn is borrowed, is for waiting alone, and is polled by the caller like any other; NULL: tell only. */
int rdl_hint_init(struct rdl_hint *h, struct rdl_conn *conn);

/* ---------------------------------------------------------------- the lock */

struct rdl_lock;

/* What differs between the locks that rdl_lock_init, _fenced, _multi and _legacy set up. Private. */
struct rdl_lock_mode;

/* Small members come first: on Cortex-M instructions reach the first 32 bytes of a struct more cheaply. */
struct rdl_lock {
    const struct rdl_lock_mode *mode;
    const struct rdl_lock_options *opt;
    struct rdl_conn *conn;
    struct rdl_hint *hint; /* or NULL */
    const void *name;
    uint32_t ttl_ms; /* of this operation */
    int16_t result;
    int8_t cause;
    uint8_t is_adopted; /* only who took it knows when the key ends */
    uint8_t name_len;
    uint8_t state;
    uint8_t action;
    uint8_t tries;
    uint16_t
        attempts; /* of the last acquire, as its busy, begin and last step (the low 32 bits): rdl_stats */
    uint16_t refused;
    uint32_t begun_ms;
    uint32_t stepped_ms;
    uint32_t abort_below_ms; /* half of what was left at the first extend that failed, or give-up; 0: none */
    uint64_t sent_ms;        /* t1: before the request was queued */
    uint64_t until_ms;       /* end of validity; 0: not held */
    uint64_t deadline_ms;    /* of the whole operation */
    uint64_t wake_ms;        /* when the current state ends */
    uint64_t ended_ms;       /* what until_ms was before the release */
    int64_t holder_ms;       /* PTTL of the lock when it was refused; < 0: not known */
    struct rdl_req req;
    struct rdl_token token;
    uint32_t seed;
};

/*
 * Set up a lock (SET NX PX), not held. Everything is borrowed for the lock's life: the name is
 * 1..RDL_NAME_MAX bytes of any value and never copied; conn has been set up. A bad name or ttl is reported
 * by acquire.
 */
int rdl_lock_init(struct rdl_lock *l, const struct rdl_lock_options *opt, struct rdl_conn *conn,
                  const void *name, size_t name_len);

/*
 * Several locks as one (lock_multi.c), opt-in: a script takes all of them or none, with one token and one
 * ttl; extended and released together. So who wants the same locks in another order does not meet us in a
 * deadlock. If one of them is lost, all are: extend says RDL_LOST and gives the others back.
 *
 *     static const struct rdl_bytes accounts[] = {{"anna", 4}, {"berta", 5}};
 *     static uint8_t packed[RDL_NAME_MAX];
 *     rdl_lock_init_multi(&lock, &opt, &conn, accounts, 2, packed);
 *
 * 1 to RDL_MULTI_MAX (n) different names, together of RDL_NAME_MAX - n bytes at most; each excludes a plain
 * lock of its name. They are copied to packed, which is borrowed for the lock's life. Needs scripts: where
 * there are none acquire says RDL_E_MULTI (RDL_E_PERM where the user may not use them). If a call inside the
 * script may have failed, acquire releases the keys that were set before it. On a cluster node the names need
 * a tag in common, else acquire says RDL_E_CLUSTER. Never with hints. RDL_OK, or RDL_E_NAME, which acquire
 * repeats.
 */
int rdl_lock_init_multi(struct rdl_lock *l, const struct rdl_lock_options *opt, struct rdl_conn *conn,
                        const struct rdl_bytes *names, size_t n, uint8_t packed[RDL_NAME_MAX]);

/* Wait with a hint and tell others (see above), from the next operation on; borrowed. NULL: neither. */
void rdl_lock_set_hint(struct rdl_lock *l, struct rdl_hint *hint);

/*
 * Begin an operation; then rdl_lock_step until it is not RDL_PENDING. One at a time. They return
 * RDL_PENDING, or a result at once if there is nothing to wait for: a bad argument, an extend of a lease
 * that is over, a release of none; nothing is sent then, but for a lease that is over the release of what
 * an extend may have left. A lease that ran out may still be released, and the next acquire does that
 * first; of one that is held or was adopted acquire is a mistake.
 *
 * An operation whose conn is still being made waits for that first, for as long as its connect_ms allows and,
 * an extend, as its lease lasts; its attempt begins then. With a conn that was refused it begins at once.
 */
int rdl_lock_acquire_begin(struct rdl_lock *l, const uint8_t entropy[RDL_ENTROPY_LEN], uint64_t now_ms);
/* At least ttl_ms from now on, never less than the lease has. RDL_E_TTL at once if the ttl is none. */
int rdl_lock_extend_begin(struct rdl_lock *l, uint32_t ttl_ms, uint64_t now_ms);
/* The lease is over for us from here on, whatever the server answers. */
int rdl_lock_release_begin(struct rdl_lock *l, uint64_t now_ms);
/* Go on: RDL_PENDING, or the result, which is repeated until the next operation begins. */
int rdl_lock_step(struct rdl_lock *l, uint64_t now_ms);
/* When rdl_lock_step must be called again even if the conn did nothing; UINT64_MAX: no operation is on. */
uint64_t rdl_lock_wake_ms(const struct rdl_lock *l);

/*
 * Give up in any state: what was or may have been granted is released, if the conn's queue has room for it.
 * Afterwards the memory is yours; what is owed goes out as the conn is driven on.
 */
void rdl_lock_cancel(struct rdl_lock *l);

/*
 * Make a handle of a token from elsewhere (another process, a shell script), as 40 hex digits. Release it
 * at once, or extend it: the result is RDL_ADOPTED, and validity counts from that send. Any mode but
 * legacy. The previous owner must not extend it any more.
 *
 * How long the key lives only the previous owner knows. So a release that is owed to it is never dropped
 * because the key has ended: it stays owed until the server is there. What the handle held until now,
 * under another token, is given back first, if the conn's queue has room for it; between operations only.
 * RDL_OK, or RDL_E_TOKEN if these are not 40 hex digits or the lock is a legacy one: then all is as it was.
 */
int rdl_lock_adopt(struct rdl_lock *l, const char *token_hex, size_t len);
/* The token as 40 hex digits and a NUL, to hand it on. */
void rdl_lock_token(const struct rdl_lock *l, char out[RDL_TOKEN_TEXT_MAX]);

/* How long the lease is still ours, by our own clock; 0 when it is not. */
uint32_t rdl_lock_remaining_ms(const struct rdl_lock *l, uint64_t now_ms);
/* When the lease ends for us (absolute, ms); 0: not held. */
uint64_t rdl_lock_until_ms(const struct rdl_lock *l);
/* 1: its connection has nothing to send, and no reply is outstanding (of any lock that shares it). */
int rdl_lock_is_idle(const struct rdl_lock *l);
/*
 * After RDL_BUSY: what the holder has left (ms); -1: no expiry (foreign or legacy lock; to a legacy lock: a
 * holder without end); -2: not known. The same of the key after RDL_OVERWRITTEN.
 */
int64_t rdl_lock_holder_ms(const struct rdl_lock *l);
/* What the last acquire cost, until the next begins; one that is refused at once does not count. */
struct rdl_stats rdl_lock_stats(const struct rdl_lock *l);
/*
 * Why the server gave no useful reply in the last operation: RDL_E_...; RDL_OK: no reason. After RDL_UNKNOWN
 * the connection's error (after a cut: RDL_E_CLOSED), RDL_E_TIMEOUT, or the error that PTTL returned.
 */
int rdl_lock_error(const struct rdl_lock *l);
/*
 * One line for people on the last operation: "confirmed in 3 ms", "held by another client for another
 * 800 ms", "timed out". NUL-terminated, cut to cap bytes (128 is enough). Returns its length.
 */
size_t rdl_lock_report(const struct rdl_lock *l, char *out, size_t cap);

/* ---------------------------------------------------------------- lock_posix.c */

enum { RDL_POSIX_URL_MAX = 256, RDL_POSIX_QUEUE = 768 };

/*
 * A conn with all that it borrows, so that a program needs no more than its URL. Only `conn` is for you:
 *
 *     static struct rdl_posix_conn server;
 *     rdl_posix_conn_init(&server, "redis://127.0.0.1:6379", NULL);
 *     rdl_lock_init(&lock, &options, &server.conn, RDL_NAME("nightly"));
 *
 * It has room for three locks with names of 48 bytes, or one with any name and a fence. For more at once, set
 * up a struct rdl_conn with a queue of your own (RDL_QUEUE_FOR).
 */
struct rdl_posix_conn {
    struct rdl_conn conn;
    struct rdl_conn_config config;
    struct rdl_endpoint endpoint;
    struct rdl_server_info server_info;
    uint64_t queue[RDL_POSIX_QUEUE / 8];
    char text[RDL_TEXT_MAX];
    char url[RDL_POSIX_URL_MAX]; /* texts of the URL, the password among them */
};

/*
 * Set it up, closed; it opens when it is first needed. RDL_OK; RDL_E_URL, RDL_E_SPACE as rdl_url_parse, with
 * *why. A host must be a numeric address: names are looked up by who knows the network. The URL is copied.
 */
int rdl_posix_conn_init(struct rdl_posix_conn *p, const char *url, const char **why);

/* ---------------------------------------------------------------- blocking (lock_io.c) */

/*
 * As above, waiting with platform->poll. More than a second after the last acquire or extend they read first,
 * so that a connection which ended meanwhile is told from one that is cut by what they do: a release then
 * says what it found. (An event loop has read already.) They end by the operation's deadline; a release that
 * is owed by then was handed to the driver if the conn is up, else the conn has to be driven on. Besides:
 * RDL_E_RANDOM, nothing was done; RDL_E_SYSTEM, platform->poll failed: given up as by rdl_lock_cancel,
 * nothing remains.
 *
 * RDL_E_INTERRUPTED of an acquire: the driver was woken from outside (rdl_posix.wake_fd) before the lock was
 * held. It is cancelled, and its release was handed to the driver. Extend and release are not interrupted.
 *
 * RDL_E_FORKED, from the driver for sockets: this is a child after fork, and the connection is its parent's.
 * The child's copy of the descriptor is closed, nothing was sent, and every later call returns the same. A
 * lease that was held at the fork stays the parent's: the child must not extend or release the copied handle.
 * It may set up the conn (rdl_conn_init, rdl_posix_conn_init) and then its handles again, which forgets what
 * they were. To hand a lock on to the child, give it the token (rdl_lock_adopt).
 */
int rdl_lock_acquire(struct rdl_lock *l, const struct rdl_platform *platform);
/* Waits for one attempt, and for a conn that is being made; not beyond the lease. */
int rdl_lock_extend(struct rdl_lock *l, const struct rdl_platform *platform, uint32_t ttl_ms);
/* Waits for one attempt, and for a conn that is being made. */
int rdl_lock_release(struct rdl_lock *l, const struct rdl_platform *platform);
/*
 * Before exit: waits until pending releases were sent and answered. RDL_OK: idle; RDL_E_TIMEOUT: not by
 * until_ms; or the error of platform->poll. Between operations only. Not interrupted.
 */
int rdl_lock_drain(struct rdl_lock *l, const struct rdl_platform *platform, uint64_t until_ms);

/* ---------------------------------------------------------------- fenced (lock_fenced.c) */

/*
 * A plain lock with a fencing token (rdl_lock_fence) that grows with every holder. Needs scripts: where there
 * are none acquire says RDL_E_FENCE, and RDL_E_PERM where the user may not use them, or not the key. The
 * number grows as long as the server keeps {name}:fence, which ends only as fence_expiry_ms of the
 * options says; should the server lose it, the clients' floors may help (rdl_lock_set_min_fence). Older
 * clients set an expiry of a day on that key, and then the promise ends there; an acquire of ours without
 * one takes it off again. On a cluster node a name with a '}' in it needs a tag, {so}, else acquire says
 * RDL_E_CLUSTER.
 *
 *     struct rdl_lock_fenced store;
 *     rdl_lock_init_fenced(&store, &opt, &server.conn, RDL_NAME("store"));
 *     int rc = rdl_lock_acquire(&store.lock, &platform);
 *     ...
 *     write_with(rdl_lock_fence(&store));
 */
struct rdl_lock_fenced {
    struct rdl_lock lock; /* all but what follows is done with this, in its place: a copy is no lock */
    uint64_t fence;       /* the number given last; the next is greater */
    uint64_t least;       /* and not less than this; 0: none was set */
};

/* As rdl_lock_init. */
int rdl_lock_init_fenced(struct rdl_lock_fenced *l, const struct rdl_lock_options *opt, struct rdl_conn *conn,
                         const void *name, size_t name_len);

/*
 * Set the least number that the next acquire may give, e.g. the wall clock in ms: from 1 to RDL_FENCE_MAX, or
 * 0 for none. A number is always greater than the one that this lock had last. While an acquire waits a call
 * takes effect from its next attempt on.
 *
 * Scripts count in doubles, so numbers end below 2^53. An acquire returns RDL_E_FENCE_RANGE, and holds
 * nothing, if the least number is above RDL_FENCE_MAX, or if the server gave a number that is: {name}:fence
 * can then no longer grow, and must be deleted by hand when no resource compares with it any more.
 *
 * A server that lost {name}:fence, and comes back after the longest ttl, still gives a greater number if all
 * floors are wall clocks that agree within half that ttl, and each was set less than half of it before the
 * grant. So while you wait, set it before each rdl_lock_step; the blocking calls wait by themselves: acquire
 * in shorter attempts, and set the floor before each.
 */
void rdl_lock_set_min_fence(struct rdl_lock_fenced *l, uint64_t min);
/*
 * The number of the lease held; give it to the resource, which refuses smaller ones. 0: none, or adopted:
 * only who took the lock was told.
 */
uint64_t rdl_lock_fence(const struct rdl_lock_fenced *l);

/* ---------------------------------------------------------------- legacy (lock_legacy.c) */

/*
 * The old protocol, for fleets that speak it: SETNX with the Unix time at which the lease ends, taken over
 * when that has passed. See lock_legacy.c. RDL_LEGACY_INTEGER leaves out the fraction that tells one holder
 * from another, for peers that read whole numbers only; so no release follows an acquire without an answer,
 * nor is the new value of an extend without one given back unless rdl_lock_release is called in time.
 *
 * Known to be unsafe: the historic way to take over, GETSET, gives the lock to two even if all clocks are
 * perfect. A client delayed between reading its clock and the server executing its GETSET overwrites the
 * new holder's deadline with an older one; a third client then finds that deadline expired and takes the
 * lock too. Ours compares and sets in one, in a script or under WATCH: it replaces only the very value
 * that the server's clock has passed. Where the server refuses both, plain GETSET is used and is best
 * effort. Peers that use GETSET can still overwrite us, and they take a plain token for a number, mostly a
 * small one: do not mix them with plain locks, nor with peers that count in milliseconds (jedis-lock, npm
 * redis-lock): they read our seconds as a time long past and have the lock a few milliseconds after we
 * took it.
 *
 * redis-py's lock without a timeout (2147483649.0) is a holder without end: RDL_BUSY, and rdl_lock_holder_ms
 * is -1. It is never taken over: its holder releases it, or somebody removes the key by hand.
 *
 * A GETSET of a waiter that comes when we have just taken the lock overwrites our value, though he has not
 * won. Then there is nothing to extend or delete: what stands there may be his or, if his ttl is shorter than
 * ours, that of a later holder. An extend says RDL_LOST. A release before our own deadline looks at what is
 * there: a deadline no earlier than ours is RDL_OVERWRITTEN, the key stays until that is over
 * (rdl_lock_holder_ms; -1: for ever, then it has to be deleted by hand when nobody holds it); anything else
 * RDL_LOST. But not one that is sent again after a cut: what stands there may be the next holder's, and
 * that is RDL_UNKNOWN.
 *
 * RDL_LEGACY_SHORTEST is for who knows two things of all peers: no ttl of theirs is shorter than ours, and
 * nobody deletes what he does not hold. As long as none is held up between his clock and his GETSET, which
 * alone gives the lock to two, the value is that of a waiter then, until our deadline. An extend says
 * RDL_OVERWRITTEN: the lease goes on to its end, and cannot be lengthened. A release deletes what it finds,
 * if it is still there: RDL_REMOVED. That is asked once, and never made good later; with less than two
 * attempts left, or if somebody changed it again, the key stays as above.
 */
enum rdl_legacy { RDL_LEGACY, RDL_LEGACY_INTEGER, RDL_LEGACY_SHORTEST };

struct rdl_lock_legacy {
    struct rdl_lock lock; /* all but what follows is done with this, in its place: a copy is no lock */
    /* The server's clock (_s, _ms) as read at clock_at_ms, too early by clock_error_ms at most. */
    uint64_t clock_at_ms;
    uint32_t clock_s;
    uint32_t clock_error_ms;
    uint16_t clock_ms;
    uint8_t kind; /* enum rdl_legacy */
    uint8_t phase;
    uint8_t value_len;
    uint8_t other_len;       /* of peer, while that may be ours: an extend without an answer */
    char peer[RDL_PEER_MAX]; /* the value in the way, or the next one of our own */
};

/* As rdl_lock_init. */
int rdl_lock_init_legacy(struct rdl_lock_legacy *l, const struct rdl_lock_options *opt, struct rdl_conn *conn,
                         const void *name, size_t name_len, enum rdl_legacy kind);

/*
 * This host's wall clock in seconds at now_ms, and by how much it may be off. Used only where the server
 * refuses TIME (before Redis 2.6 there is none); without it acquire says RDL_E_UNSUPPORTED or RDL_E_PERM
 * there. Set it again once a day at least: a setting older than a day is ignored; until then its error grows
 * by 1 % of its age. now_ms 0 sets none, nor does a wall clock before 2001, which nobody has set.
 */
void rdl_lock_set_clock(struct rdl_lock_legacy *l, uint32_t wall_s, uint32_t max_skew_ms, uint64_t now_ms);

#ifdef __cplusplus
}
#endif

#endif
