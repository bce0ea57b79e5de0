/* SPDX-License-Identifier: MIT */
/**
 * @file
 * @brief lock.h - one lock on one server.
 *
 *     rdl_lock_init(&lock, &opt, &server.conn, RDL_NAME("nightly"));
 *     int rc = rdl_lock_acquire(&lock, &platform);
 *     ...
 *     while (work_is_left() && rdl_lock_remaining_ms(&lock, rdl_now(&platform)) > 1000)
 *         do_a_little();
 *     rdl_lock_release(&lock, &platform);
 *
 * lock/examples/minimal.c is the whole program. An event loop uses the _begin functions and rdl_lock_step().
 *
 * You hold a lease: it expires after the ttl, whatever you do. So there is rdl_lock_remaining_ms(), which
 * depends on the time, and deliberately no "is it locked". A server that restarts without its data grants the
 * lock a second time: redlock.h has a restart guard and canaries against that. If correctness depends on the
 * lock, use fencing tokens as well.
 *
 * Results (2 or more: success with additional information; negative: failed; the last column says whether
 * the lease continues):
 *
 *     operation  result       what happened                                         remaining_ms
 *     acquire    RDL_OK       granted                                               more than 0
 *                RDL_BUSY     held by another client                                0
 *                RDL_EXPIRED  granted, but the reply came too late to be of use     0
 *                RDL_UNKNOWN  no conclusive reply; a release follows if it was sent 0
 *                RDL_E_...    an error of the server or the connection              0
 *     extend     RDL_OK       at least ttl_ms from the moment of sending            never less than before
 *                RDL_ADOPTED  this handle now holds the adopted token               more than 0
 *                RDL_LOST     expired, or held by another client                    0
 *                RDL_UNKNOWN  no reply in time; the lease continues                 as before the call
 *                RDL_E_...    refused; the lease continues                          as before the call
 *     release    RDL_OK       deleted                                               0
 *                RDL_EXPIRED  it was already gone (a warning)                       0
 *                RDL_LOST     another client holds it now                           0
 *                RDL_UNKNOWN  no conclusive reply: see rdl_lock_release_begin()     0
 *                RDL_E_...    refused: see rdl_lock_release_begin()                 0
 *
 * A blocking extend that is canceled ends the lease (rdl_lock_extend()). Legacy locks: enum rdl_legacy.
 */
#ifndef RDL_LOCK_H
#define RDL_LOCK_H

#include "lock/lock_results.h"
#include "net/net.h"

/**
 * @addtogroup libredlock_lock
 * @{
 */

#ifdef __cplusplus
extern "C" {
#endif

#define RDL_TTL_MAX      2147483647u         /**< longest ttl, in ms */
#define RDL_WAIT_FOREVER 4294967295u         /**< rdl_lock_options.wait_ms: no limit */
#define RDL_FENCE_MAX    9007199254740991uLL /**< greatest fencing token: 2^53 - 1 */

/**
 * Expands to a name and its length: rdl_lock_init(&lock, &opt, &conn, RDL_NAME("nightly")).
 *
 * @param literal  a string literal; anything else does not compile
 */
#define RDL_NAME(literal) ("" literal), (sizeof(literal) - 1)

/** Sizes and times. */
enum {
    RDL_NAME_MAX = 128,                /**< bytes of a lock's name, at least 1 */
    RDL_TOKEN_LEN = 20,                /**< bytes of a token; on the wire in hex */
    RDL_VALUE_MAX = 2 * RDL_TOKEN_LEN, /**< bytes of a lock value: a token in hex */
    RDL_EXTRA_MAX = 40,                /**< bytes of an operation's additional argument */
    RDL_MULTI_MAX = 8,                 /**< most locks that are taken as one */
    RDL_PEER_MAX = 24,                 /**< legacy: bytes kept of a value that another client wrote */
    RDL_TOKEN_TEXT_MAX = 82,           /**< bytes of a token as text, with its NUL; today 41 are used */
    RDL_ENTROPY_LEN = 16,              /**< bytes that an acquire needs: see struct rdl_token */
    RDL_ATTEMPT_MIN_MS = 5,            /**< shortest default of rdl_lock_options.attempt_ms */
    RDL_ATTEMPT_MAX_MS = 250,          /**< longest default, unless round trips are longer */
    RDL_QUEUE_RETRY_MS = 5, /**< pause before a request that found the queue full is queued again */
    RDL_RETRY_CAP_MS = 500  /**< longest pause between two attempts, without a wake hint */
};

/**
 * Computes the least queue_len of a conn: room for each lock's request and for the release that follows it.
 *
 * With several locks as one, the name is all their names and one byte for each. A longer queue has room for
 * more requests while a server does not reply.
 *
 * @param locks  number of locks that acquire, extend or release at the same time; held leases need no room
 * @param name   bytes of the longest name
 */
#define RDL_QUEUE_FOR(locks, name) ((size_t)(locks)*2 * RDL_REQUEST_SIZE((name) + RDL_VALUE_MAX))

/**
 * Computes the same as RDL_QUEUE_FOR() for locks with a fencing token.
 *
 * @param locks  number of locks that acquire, extend or release at the same time; held leases need no room
 * @param name   bytes of the longest name
 */
#define RDL_QUEUE_FOR_FENCED(locks, name) RDL_QUEUE_FOR(locks, (name) + RDL_EXTRA_MAX)

/**
 * Options of a lock.
 *
 * They are constant, and must stay valid as long as the lock is used; many locks may share them. To start
 * with, set ttl_ms and leave the rest 0: that makes one attempt.
 */
struct rdl_lock_options {
    uint32_t ttl_ms; /**< the ttl of the key, in ms: four attempts (attempt_ms) to RDL_TTL_MAX */
    /** For how long to retry an acquire, in ms. 0: one attempt; RDL_WAIT_FOREVER: no limit. */
    uint32_t wait_ms;
    /**
     * First pause between two attempts, in ms. 0: one attempt. The bound doubles with each attempt, up to
     * RDL_RETRY_CAP_MS, and each pause is random.
     */
    uint32_t retry_ms;
    /**
     * How long an attempt, an extend or a release waits for the reply, in ms. At most ttl_ms / 4: more is
     * RDL_E_TTL.
     *
     * 0: ttl_ms / 20, within RDL_ATTEMPT_MIN_MS to RDL_ATTEMPT_MAX_MS. Or three round trips if that is
     * longer, but at most ttl_ms / 4. A round trip is the longest step of the connection's login: connecting,
     * AUTH, the other commands, the connection checks. (Over N servers: the quorum-th smallest of theirs.)
     *
     * Without login commands only the TCP connect is timed. If a proxy is near and the server is far, that is
     * less than a round trip: set attempt_ms.
     *
     * "Four attempts" is the shortest ttl of these options and of an extend: 4 x attempt_ms. If attempt_ms is
     * 0, it is 4 x the default without round trips, which is always computed from ttl_ms of these options.
     */
    uint32_t attempt_ms;
    /**
     * Fenced locks: for how long the last fencing token is kept after the lease, in ms, up to RDL_TTL_MAX. If
     * no client holds the lock for this time, the next token is 1, or the least that was set.
     *
     * 0: it is kept forever. This is safe, and each name that was ever locked keeps a small key. All clients
     * of a lock must use the same value; otherwise the latest holder's applies.
     */
    uint32_t fence_expiry_ms;
};

/* ---------------------------------------------------------------- for the conn's configuration */

/**
 * The method that extends and releases by script, which all servers since Redis 2.6 support.
 *
 * Use it or rdl_methods_all as rdl_conn_config.methods. A static link has only the methods of the list that
 * it names.
 */
extern const struct rdl_methods rdl_methods_script;

/**
 * All methods. To extend: script, WATCH..EXEC. To release: script, DELEX, DELIFEQ, WATCH..EXEC.
 *
 * They are tried in this order. A command that the server refuses (unknown, renamed, forbidden) is remembered
 * until the connection ends. A key that the user may not access concerns its lock alone. After an unknown
 * error (resp/WIRE.md) the next method is tried as well; if that works, the refusal is remembered, too.
 */
extern const struct rdl_methods rdl_methods_all;

/* ---------------------------------------------------------------- of a lock on one server or on many */

/** What an acquire cost, whatever its result: for logs and metrics. Both counts stop at 65535. */
struct rdl_stats {
    /**
     * Acquire requests sent, up to N for each attempt over N servers. A script counts as one, and so does a
     * whole attempt of the old protocol.
     */
    uint16_t attempts;
    /** Attempts that ended with RDL_BUSY; grows with contention. Do not divide it by attempts if N > 1. */
    uint16_t refused;
    uint32_t took_ms; /**< from begin to the last step of the acquire, in ms */
};

/** Operations of a lock. */
enum rdl_action {
    RDL_ACQUIRE, /**< acquire */
    RDL_EXTEND,  /**< extend */
    RDL_RELEASE  /**< release */
};

/**
 * A lock token: 16 bytes that the caller gives to an acquire, and a counter. Every attempt has its own.
 *
 * The caller guarantees that the 16 bytes are unique to this acquire of the name, by any handle, on any host.
 * Two handles with the same bytes can each release what the other holds. So generate them for every acquire,
 * not once per handle: a fork or a VM snapshot would duplicate them. They need not be secret:
 * rdl_platform.random has a source for boards.
 *
 * The counter is never reset. It continues from acquire to acquire, and from an adopted token. So a handle
 * that gets the same bytes again, or those of its adopted token, still uses a new token. A pending release
 * then cannot delete the new lease.
 */
struct rdl_token {
    uint8_t bytes[RDL_TOKEN_LEN]; /**< the RDL_ENTROPY_LEN bytes, then the counter, big-endian */
};

/* ---------------------------------------------------------------- the wake hint (lock_hint.c), opt-in */

/** Times of the wake hint. */
enum {
    RDL_HINT_CAP_MS = 1000 /**< longest pause with a hint, in ms: the cost of a lost hint */
};

struct rdl_hint;

/** @cond private */
/* Functions of the wake hint: an object, so that a static link drops them where they are not used. */
struct rdl_hint_ops {
    /*
     * Begins to wait, for left_ms at most, and for the rest of the holder's ttl (below 0: not known).
     * Returns the length of the pause; UINT64_MAX: no hint, pause as usual.
     */
    uint64_t (*begin)(struct rdl_hint *h, struct rdl_bytes name, int64_t holder_ms, uint64_t left_ms,
                      uint64_t now_ms);
    int (*fired)(struct rdl_hint *h);    /* returns 1, once, when the wait has ended: try now */
    void (*end)(struct rdl_hint *h);     /* ends the wait: the caller no longer needs it */
    const struct rdl_op *release;        /* releases, and wakes a waiter */
    const struct rdl_op *release_strict; /* the same for a lock of the old protocol */
};
/** @endcond */

/**
 * A wake hint: waiting clients are notified when the lock is released, instead of polling.
 *
 * A release also adds an element to the list {name}:wake (struct rdl_lock). Each waiting client blocks
 * (BLPOP) on a second connection, which the caller supplies. One release wakes one client, in the order in
 * which they began to wait. Use one hint per lock. If several locks share the hint connection, only one can
 * wait on it; the others pause as usual.
 *
 *     struct rdl_hint hint;
 *     rdl_hint_init(&hint, &second_conn);
 *     rdl_lock_set_hint(&lock, &hint);
 *
 * It is only a hint: SET NX alone decides who holds the lock, so clients with and without hints can share a
 * lock. A holder may die or release without a hint, and a waiter may take a hint and die. Then the others
 * retry when the holder's ttl is over, and after RDL_HINT_CAP_MS at the latest. If BLPOP is refused (ACL), or
 * the second connection is down, the pauses are the usual ones. If scripts are refused, a release wakes no
 * client.
 *
 * Before Redis 6.0 BLPOP waits for whole seconds. The pause still ends on time, without waiting for its
 * reply. If the list is in another hash slot than the lock, a release returns RDL_E_CLUSTER. The lease then
 * ends with its ttl.
 *
 * Its members are private. Its memory is in use while the lock that it is set for is in use (struct
 * rdl_lock).
 */
struct rdl_hint {
    /** @cond private */
    const struct rdl_hint_ops *ops;
    struct rdl_conn *conn;
    uint8_t fruitless;  /* hints in a row that did not bring the lock */
    uint8_t is_refused; /* 1: by this server, until the connection ends */
    struct rdl_req req;
    uint64_t ends_ms; /* when the server should end the wait */
    /** @endcond */
};

/**
 * Sets up a wake hint.
 *
 * Never blocks. Call it before rdl_lock_set_hint(), and again only if no lock waits with it: debug builds
 * assert this.
 *
 * @param h     the hint; it must stay valid as long as a lock uses it
 * @param conn  a connection that is used for nothing else, and stays valid as long as the hint. The blocking
 *              functions poll it; in an event loop you poll it like any other. NULL: wake other clients, but
 *              do not wait with a hint
 * @return RDL_OK
 */
int rdl_hint_init(struct rdl_hint *h, struct rdl_conn *conn);

/* ---------------------------------------------------------------- the lock */

struct rdl_lock;

/** What differs between the locks that rdl_lock_init(), _fenced, _multi and _legacy set up. Private. */
struct rdl_lock_mode;

/**
 * A lock. Its members are private.
 *
 * Lifetime: the lock and its hint are in use while an operation is RDL_PENDING. They are also in use after an
 * acquire or adopt that succeeded, until one of these:
 *
 *   - a release has ended, with any result but RDL_PENDING
 *   - rdl_lock_cancel() has returned
 *   - an extend has ended with RDL_LOST
 *   - a blocking extend was canceled: RDL_E_SYSTEM or RDL_E_FORKED (rdl_lock_extend())
 *
 * Expiry does not end the use: release or cancel an expired lease, too. At all other times nothing in the
 * library refers to them: you may free them, or set them up again, here or elsewhere. Pending releases are in
 * the conn's queue, and are sent while you service the conn.
 *
 * Side keys: a fenced lock also has the key {name}:fence, and a wake hint the list {name}:wake. If the name
 * contains '}', they are name:fence and name:wake. So on a cluster node such a name needs a hash tag of its
 * own, for example job{1}.
 */
struct rdl_lock {
    /** @cond private */
    /* Small members come first: Cortex-M instructions reach the first 32 bytes of a struct more cheaply. */
    const struct rdl_lock_mode *mode;
    const struct rdl_lock_options *opt;
    struct rdl_conn *conn;
    struct rdl_hint *hint; /* or NULL */
    const void *name;
    uint32_t ttl_ms; /* of this operation */
    int16_t result;
    int8_t cause;
    uint8_t is_adopted; /* 1: only the client that took it knows when the key expires */
    uint8_t name_len;
    uint8_t state;
    uint8_t action;
    uint8_t tries;
    /* of the last acquire, for rdl_stats; the times are the low 32 bits of begin and last step */
    uint16_t attempts;
    uint16_t refused;
    uint32_t begun_ms;
    uint32_t stepped_ms;
    uint32_t abort_below_ms; /* half of what was left at the first failed extend, or last abort; 0: none */
    uint64_t sent_ms;        /* t1: before the request was queued */
    uint64_t until_ms;       /* end of validity; 0: not held */
    uint64_t deadline_ms;    /* of the whole operation */
    uint64_t wake_ms;        /* when the current state ends */
    uint64_t ended_ms;       /* until_ms before the release */
    int64_t holder_ms;       /* PTTL of the lock when it was refused; below 0: see rdl_lock_holder_ms() */
    struct rdl_req req;
    struct rdl_token token;
    uint32_t seed;
    /** @endcond */
};

/**
 * Sets up a plain lock (SET NX PX), not held.
 *
 * Never blocks, sends nothing. Call it before any other function of the lock, and again only if the lock is
 * not in use (see struct rdl_lock): debug builds assert that no request refers to its memory. After an error
 * you can use the lock as one that is not held: acquire returns the same error.
 *
 * @param l         the lock; it holds no resources, so there is nothing to free
 * @param opt       its options, which must stay valid as long as the lock is used
 * @param conn      the connection, which was set up before and stays valid as long as the lock is used
 * @param name      the key: bytes of any value; not copied: keep them valid as long as the lock is used
 * @param name_len  their number, 1 to RDL_NAME_MAX (see RDL_NAME())
 * @return RDL_OK: the lock is set up.
 *         RDL_E_NAME: name_len is out of range.
 *         RDL_E_TTL: opt->ttl_ms is out of range.
 */
int rdl_lock_init(struct rdl_lock *l, const struct rdl_lock_options *opt, struct rdl_conn *conn,
                  const void *name, size_t name_len);

/**
 * Sets up several locks that are held as one: a script takes all of them or none (lock_multi.c).
 *
 * They have one token and one ttl, and are extended and released together. So clients that need the same
 * locks in another order cannot deadlock. If one of them is lost, all are: extend returns RDL_LOST and
 * releases the others.
 *
 *     static const struct rdl_bytes accounts[] = {{"anna", 4}, {"berta", 5}};
 *     static uint8_t packed[RDL_NAME_MAX];
 *     rdl_lock_init_multi(&lock, &opt, &conn, accounts, 2, packed);
 *
 * Each of them excludes a plain lock of its name. They need scripts: without scripts acquire returns
 * RDL_E_MULTI, or RDL_E_PERM if the user may not use them. If a call inside the script may have failed,
 * acquire releases the keys that were set before it. On a cluster node the names need a common hash tag;
 * otherwise acquire returns RDL_E_CLUSTER. Hints are ignored.
 *
 * Never blocks, sends nothing. Call it when you may call rdl_lock_init().
 *
 * @param l       the lock
 * @param opt     its options, which must stay valid as long as the lock is used
 * @param conn    the connection, which was set up before and stays valid as long as the lock is used
 * @param names   the names, all different, of RDL_NAME_MAX - n bytes at most together; not needed afterwards
 * @param n       number of names, 1 to RDL_MULTI_MAX
 * @param packed  receives the names; it must stay valid and unchanged as long as the lock is used
 * @return RDL_OK: the lock is set up.
 *         RDL_E_NAME: the names are invalid. RDL_E_TTL: opt->ttl_ms is out of range. Acquire returns the same
 *         error.
 */
int rdl_lock_init_multi(struct rdl_lock *l, const struct rdl_lock_options *opt, struct rdl_conn *conn,
                        const struct rdl_bytes *names, size_t n, uint8_t packed[RDL_NAME_MAX]);

/**
 * Sets the wake hint of a lock, from the next operation on: it waits with the hint and wakes others.
 *
 * Never blocks. Call it between operations only.
 *
 * @param l     the lock; with several locks as one the call does nothing
 * @param hint  the hint, which was set up before and stays valid as long as the lock is used; NULL: none
 */
void rdl_lock_set_hint(struct rdl_lock *l, struct rdl_hint *hint);

/**
 * Begins to acquire the lock.
 *
 * Never blocks. Call rdl_lock_step() until it no longer returns RDL_PENDING. Call it between operations. It
 * is a programming error to call it while the lease is valid, or while an adopted token is not confirmed:
 * debug builds assert this. (A redlock releases an unconfirmed token instead.) If an expired lease was not
 * released, or its release failed, acquire releases it first.
 *
 * If the conn is still connecting, the attempt begins when it is ready, within its connect_ms. If the
 * connection was refused, the attempt fails at once. RDL_E_TIMEOUT: the connection was not ready in time, or
 * it is stalled (rdl_lock_extend_begin()); nothing was sent.
 *
 * @param l        the lock
 * @param entropy  RDL_ENTROPY_LEN bytes that no other acquire gets, on any host (see struct rdl_token)
 * @param now_ms   the current time in ms
 * @return RDL_PENDING, or a result at once: RDL_E_NAME, RDL_E_TTL, RDL_E_FENCE_RANGE, or an error of the
 *         conn. Nothing was sent then.
 */
int rdl_lock_acquire_begin(struct rdl_lock *l, const uint8_t entropy[RDL_ENTROPY_LEN], uint64_t now_ms);

/**
 * Begins to extend the lease: the key then expires ttl_ms from now at the earliest.
 *
 * It never shortens a lease and never revives an expired one. Afterwards rdl_lock_remaining_ms() is at least
 * ttl_ms less the drift, counted from the sending. Never blocks. Call rdl_lock_step() until it no longer
 * returns RDL_PENDING. Call it between operations.
 *
 * If the conn is still connecting, the attempt begins when it is ready, within connect_ms and the lease.
 *
 * A reply is overdue if the server has sent nothing for the longest attempt time of the locks that wait on
 * the connection. The connection is then stalled. RDL_E_TIMEOUT: it is stalled, and nothing was sent.
 *
 * Let R be the lease time left when the first extend that failed began. An extend that begins with less than
 * R/2 left closes a stalled connection and uses a new one. It does so even if other locks use the old one
 * (rdl_conn_abort_if_stalled()). R is then the time left at that extend. Until the server sends something, a
 * reply is now overdue after this lock's own attempt time. An extend that succeeds resets R.
 *
 * @param l       the lock
 * @param ttl_ms  the new ttl in ms, from four attempts (rdl_lock_options.attempt_ms) to RDL_TTL_MAX
 * @param now_ms  the current time in ms
 * @return RDL_PENDING, or a result at once.
 *         RDL_E_TTL: ttl_ms is out of range. Nothing was sent or changed; the lease, if there still is one,
 *         continues. rdl_lock_step() still returns the result of the previous operation.
 *         RDL_LOST: the lease is over or was released. If it is over, the release of what an extend may have
 *         left is queued; nothing else is sent.
 */
int rdl_lock_extend_begin(struct rdl_lock *l, uint32_t ttl_ms, uint64_t now_ms);

/**
 * Begins to release the lock. From now on it is not held, whatever the server replies.
 *
 * Never blocks. Call rdl_lock_step() until it no longer returns RDL_PENDING. Call it between operations. You
 * may release a lease that has expired, and release again after RDL_UNKNOWN or RDL_E_....
 *
 * From now on no client may extend or adopt the token: a pending release could delete the key under its new
 * holder.
 *
 * If the connection closes before the reply, the release is sent again on the next one. The call then waits
 * as long as it would have waited for the first reply.
 *
 * RDL_UNKNOWN: no conclusive reply. The release stays pending, unless a reply came that does not show what
 * happened. Then nothing more is sent:
 *
 *   1. The release was sent again and found no key of ours, while the lease was valid. Either the first one
 *      was executed, or the server lost the key in a restart. After a restart another client may have got the
 *      lock before our release.
 *   2. The key is gone or held by another client, and the server permits no PTTL to find out which.
 *
 * RDL_E_...: a temporary error ("again" in resp/WIRE.md) leaves the release pending. While you service the
 * conn (rdl_conn_tick()) it is sent again after a pause, until the key must have expired. An adopted key's
 * release is sent until a conclusive reply, but for at most the ttl after a first temporary error. (That is
 * the ttl of the options, or of the last extend.) The lock need not exist any more. After any other error the
 * lease ends with its ttl. (RDL_LEGACY_INTEGER: nothing is sent again, because its value does not identify
 * the holder.)
 *
 * RDL_LOST: this may come from a replica, and then does not describe its master. It can happen on a
 * connection that does not check the server's role (rdl_guard_conn() in redlock.h).
 *
 * @param l       the lock
 * @param now_ms  the current time in ms
 * @return RDL_PENDING, or a result at once.
 *         RDL_EXPIRED: this handle has nothing to release, and nothing is sent. It never acquired the lock,
 *         or released or lost it already. A lease that has only expired is still released.
 */
int rdl_lock_release_begin(struct rdl_lock *l, uint64_t now_ms);

/**
 * Continues the operation that was begun.
 *
 * Never blocks. Call it whenever the conn did something, and at rdl_lock_wake_ms(). In each loop iteration:
 * read, get the time once, then step. A reply that has arrived and was not read counts as none.
 *
 * @param l       the lock
 * @param now_ms  the current time in ms
 * @return RDL_PENDING: not finished. Any other value is the result (the table at the top), which is repeated
 *         until the next operation begins.
 */
int rdl_lock_step(struct rdl_lock *l, uint64_t now_ms);

/**
 * Returns when rdl_lock_step() must be called again, even if the conn did nothing.
 *
 * Never blocks. Call it in any state.
 *
 * @param l  the lock
 * @return the time in ms; UINT64_MAX: no operation is pending
 */
uint64_t rdl_lock_wake_ms(const struct rdl_lock *l);

/**
 * Cancels the operation, if one is pending, and drops the lock.
 *
 * What was granted, or may have been, is released if the conn's queue has room for it. The release is sent
 * while you service the conn. Afterwards the lock's memory is not in use. Never blocks. Call it in any state.
 *
 * @param l  the lock; not held afterwards
 */
void rdl_lock_cancel(struct rdl_lock *l);

/**
 * Adopts the token of a lock that was acquired elsewhere: by another handle, process or host.
 *
 * Then release it, or extend it: the extend returns RDL_ADOPTED, and validity counts from that request. Until
 * then rdl_lock_remaining_ms() is 0. The previous owner must not extend the lock any more, and must not have
 * begun to release it. What this handle held before, under another token, is released if the conn's queue has
 * room for it.
 *
 * This handle does not know when the key expires. So a release of an adopted token stays pending until a
 * conclusive reply, but for at most the ttl after a first temporary error (rdl_lock_release_begin()). Never
 * blocks, sends nothing. Call it between operations only.
 *
 * @param l          the lock, of any kind but legacy
 * @param token_hex  40 hex digits in lower case, from rdl_lock_token(); copied; no NUL is needed
 * @param len        their number, 40
 * @return RDL_OK: adopted.
 *         RDL_E_TOKEN: these are not 40 hex digits in lower case, or it is a legacy lock; nothing changed.
 */
int rdl_lock_adopt(struct rdl_lock *l, const char *token_hex, size_t len);

/**
 * Writes the token as text, to pass the lock on to another process (rdl_lock_adopt()).
 *
 * Do not call it after a release has begun. A legacy lock has no token. Never blocks. Call it while the lock
 * is held or adopted.
 *
 * @param l    the lock
 * @param out  receives 40 hex digits in lower case and a NUL; RDL_TOKEN_TEXT_MAX bytes
 */
void rdl_lock_token(const struct rdl_lock *l, char out[RDL_TOKEN_TEXT_MAX]);

/**
 * Returns how long the lease is still held, by our own clock.
 *
 * The lease counts from before the request was sent. It is shorter than the ttl by the drift: 1 % of the ttl,
 * rounded up, and 2 ms. The drift allows for clocks that run at different rates. Never blocks. Call it in any
 * state.
 *
 * @param l       the lock
 * @param now_ms  the current time in ms
 * @return the time in ms; 0: not held, expired, or adopted and not confirmed by an extend
 */
uint32_t rdl_lock_remaining_ms(const struct rdl_lock *l, uint64_t now_ms);

/**
 * Returns when the lease expires, by our own clock.
 *
 * Never blocks. Call it in any state.
 *
 * @param l  the lock
 * @return the time in ms, which may have passed; 0: not held, or adopted and not extended yet
 */
uint64_t rdl_lock_until_ms(const struct rdl_lock *l);

/**
 * Returns whether the lock's connection has nothing to send and no reply is outstanding.
 *
 * This includes the requests of other locks that share the connection. Never blocks. Call it in any state.
 *
 * @param l  the lock
 * @return 1: it is idle; 0: it is not
 */
int rdl_lock_is_idle(const struct rdl_lock *l);

/**
 * Returns for how long the key in the way still exists: after RDL_BUSY, and after RDL_OVERWRITTEN.
 *
 * Never blocks. Call it in any state; the value is of the last operation.
 *
 * @param l  the lock
 * @return a duration in ms, counted from the reply.
 *         -1: it has no expiry. To a plain lock the holder is then a legacy lock or a foreign program; to a
 *         legacy lock it is a holder without a timeout.
 *         -2: not known.
 */
int64_t rdl_lock_holder_ms(const struct rdl_lock *l);

/**
 * Returns what the last acquire cost. One that was refused at once for its arguments does not count.
 *
 * Never blocks. Call it in any state; while an acquire is pending, it is the cost so far.
 *
 * @param l  the lock
 * @return the counts, until the next acquire begins
 */
struct rdl_stats rdl_lock_stats(const struct rdl_lock *l);

/**
 * Returns why the server gave no useful reply in the last operation.
 *
 * Never blocks. Call it between operations.
 *
 * @param l  the lock
 * @return RDL_OK: there is no such reason.
 *         RDL_E_...: the error. After RDL_UNKNOWN it is the connection's error (RDL_E_CLOSED if it closed),
 *         RDL_E_TIMEOUT, or the error reply to PTTL.
 */
int rdl_lock_error(const struct rdl_lock *l);

/**
 * Describes the last operation in one line for people.
 *
 * For example: "confirmed in 3 ms", "held by another client for another 800 ms", "timed out". Never blocks.
 * Call it in any state.
 *
 * @param l    the lock
 * @param out  receives the text, cut to cap - 1 bytes, and a NUL
 * @param cap  its size in bytes, 1 or more; 128 is enough
 * @return the length of the text in bytes, without the NUL
 */
size_t rdl_lock_report(const struct rdl_lock *l, char *out, size_t cap);

/** @} */
/**
 * @addtogroup libredlock_posix
 * @{
 */
/* ---------------------------------------------------------------- lock_posix.c */

/** Sizes of struct rdl_posix_conn, in bytes. */
enum {
    RDL_POSIX_URL_MAX = 256, /**< texts of the URL, with their NULs */
    RDL_POSIX_QUEUE = 768    /**< its queue */
};

/**
 * A conn with all its memory, so that a program needs only a URL.
 *
 *     static struct rdl_posix_conn server;
 *     rdl_posix_conn_init(&server, "redis://127.0.0.1:6379", NULL);
 *     rdl_lock_init(&lock, &options, &server.conn, RDL_NAME("nightly"));
 *
 * It has room for three locks with names of 48 bytes, or for one fenced lock with any name. For more locks at
 * a time, set up a struct rdl_conn with a queue of your own (RDL_QUEUE_FOR()).
 */
struct rdl_posix_conn {
    struct rdl_conn conn; /**< the connection, for locks; the other members are private */
    /** @cond private */
    struct rdl_conn_config config;
    struct rdl_endpoint endpoint;
    struct rdl_server_info server_info;
    uint64_t queue[RDL_POSIX_QUEUE / 8];
    char text[RDL_TEXT_MAX];
    char url[RDL_POSIX_URL_MAX]; /* texts of the URL, including the password */
    /** @endcond */
};

/**
 * Sets up a conn from a URL, closed. It opens when it is first needed.
 *
 * Never blocks, resolves no names. Call it before any other function of the conn, and again only if the conn
 * is closed; requests and pending releases in its queue are lost.
 *
 * @param p    the conn, which must stay valid as long as a lock uses it
 * @param url  see rdl_url_parse(); the host must be a numeric address or a socket path; copied
 * @param why  NULL, or receives what is wrong: a constant that repeats no part of the URL, or NULL with
 *             RDL_OK
 * @return RDL_OK: the conn is set up.
 *         RDL_E_URL: the URL is invalid, or its host is a name.
 *         RDL_E_SPACE: the URL is too long.
 */
int rdl_posix_conn_init(struct rdl_posix_conn *p, const char *url, const char **why);

/** @} */
/**
 * @addtogroup libredlock_lock
 * @{
 */
/* ---------------------------------------------------------------- blocking (lock_io.c) */

/**
 * Acquires the lock. Blocks until it is acquired or refused.
 *
 * Without wait_ms or retry_ms there is one attempt: it blocks for the conn's connect_ms and one attempt at
 * most. Otherwise it blocks for wait_ms and one attempt at most, because the first attempt always has its
 * full time. Call it when you may call rdl_lock_acquire_begin().
 *
 * It reads first if a request is pending, or if the last acquire or extend was more than a second ago. So it
 * notices a connection that ended in the meantime before it sends. (An event loop has read already.)
 *
 * A release that is pending at the end was written to the socket, if the connection is up and the socket had
 * room. Service the conn (rdl_conn_tick()) to send the rest, and call rdl_lock_drain() before the program
 * exits.
 *
 * In a child after fork, the first call that uses a connection its parent opened fails with RDL_E_FORKED, and
 * so does each later one. Nothing is sent, and the library closes the child's copy of the socket. A lease
 * that was held at the fork stays the parent's.
 *
 * From the fork on, treat every copied handle as not held. Set up the conn again (rdl_conn_init(),
 * rdl_posix_conn_init()), and then its locks, before you use them. To hand a lock on to the child, give it
 * the token (rdl_lock_adopt()).
 *
 * @param l         the lock
 * @param platform  waits, reads the clock and supplies the unique bytes
 * @return the results of an acquire (the table at the top), and:
 *         RDL_E_RANDOM: platform->random failed; nothing was done.
 *         RDL_E_INTERRUPTED: a wake-up from outside (rdl_posix.wake_fd) came before the lock was held;
 *         canceled, so this handle holds nothing. What may have been granted is released, as above.
 *         RDL_E_SYSTEM: platform->poll failed; canceled, so this handle holds nothing.
 *         RDL_E_FORKED: the connection is the parent's; canceled, so this handle holds nothing. The parent's
 *         lease is unaffected.
 */
int rdl_lock_acquire(struct rdl_lock *l, const struct rdl_platform *platform);

/**
 * Extends the lease: the key then expires ttl_ms from now at the earliest.
 *
 * If the conn is still connecting, it blocks until that ends: for connect_ms at most, and within the lease.
 * Then it blocks for one attempt at most, even if the lease expires during it. It ignores wake-ups from
 * outside, and reads first as rdl_lock_acquire() does. Call it when you may call rdl_lock_extend_begin().
 *
 * @param l         the lock
 * @param platform  waits, and reads the clock
 * @param ttl_ms    the new ttl in ms, from four attempts (rdl_lock_options.attempt_ms) to RDL_TTL_MAX
 * @return the results of an extend (the table at the top), and:
 *         RDL_E_SYSTEM: platform->poll failed; canceled, so this handle holds nothing. If only the connection
 *         failed with this error, the lease continues: rdl_lock_remaining_ms() is above 0.
 *         RDL_E_FORKED: the connection is the parent's; canceled, so this handle holds nothing. The parent's
 *         lease is unaffected.
 */
int rdl_lock_extend(struct rdl_lock *l, const struct rdl_platform *platform, uint32_t ttl_ms);

/**
 * Releases the lock.
 *
 * Blocks for the conn's connect_ms at most, if it is still connecting, and then for one attempt at most. It
 * ignores wake-ups from outside, and reads first as rdl_lock_acquire() does. The reason: a release that finds
 * its connection closed must be sent again. It may then return RDL_UNKNOWN, because it cannot tell whether
 * the first was executed. If it is still pending at the end, see rdl_lock_acquire(). Call it when you may
 * call rdl_lock_release_begin().
 *
 * @param l         the lock; not held afterwards
 * @param platform  waits, and reads the clock
 * @return the results of a release (the table at the top), and:
 *         RDL_E_SYSTEM: platform->poll failed; canceled, so this handle holds nothing.
 *         RDL_E_FORKED: the connection is the parent's; canceled, so this handle holds nothing. The parent's
 *         lease is unaffected.
 */
int rdl_lock_release(struct rdl_lock *l, const struct rdl_platform *platform);

/**
 * Waits until all pending releases are sent and answered: call it before the program exits.
 *
 * Blocks until until_ms at most. It ignores wake-ups from outside. Call it between operations only.
 *
 * @param l         the lock
 * @param platform  waits, and reads the clock
 * @param until_ms  the deadline: a time of the platform's clock, in ms; UINT64_MAX: no limit
 * @return RDL_OK: the connection is idle.
 *         RDL_E_TIMEOUT: not idle by until_ms.
 *         Any other error: of platform->poll.
 */
int rdl_lock_drain(struct rdl_lock *l, const struct rdl_platform *platform, uint64_t until_ms);

/* ---------------------------------------------------------------- fenced (lock_fenced.c) */

/**
 * A plain lock with a fencing token, a number that grows with every holder.
 *
 *     struct rdl_lock_fenced store;
 *     rdl_lock_init_fenced(&store, &opt, &server.conn, RDL_NAME("store"));
 *     int rc = rdl_lock_acquire(&store.lock, &platform);
 *     ...
 *     write_with(rdl_lock_fence(&store));
 *
 * It needs scripts: without scripts acquire returns RDL_E_FENCE, or RDL_E_PERM if the user may not use them
 * or the key. If {name}:fence (struct rdl_lock) is in another hash slot than the lock, acquire returns
 * RDL_E_CLUSTER.
 *
 * The number grows as long as the server keeps {name}:fence, which ends only as fence_expiry_ms of the
 * options says. If the server may lose it, see rdl_lock_set_min_fence().
 *
 * Older versions of this library set an expiry of a day on that key, which breaks this promise. If an acquire
 * without fence_expiry_ms gets the lock, it removes that expiry, not the key.
 */
struct rdl_lock_fenced {
    struct rdl_lock lock; /**< use it with all functions of a lock, in its place: a copy is not a lock */
    /** @cond private */
    uint64_t fence; /* the last fencing token; the next is greater */
    uint64_t least; /* the least that the next may be; 0: not set */
    /** @endcond */
};

/**
 * Sets up a fenced lock, not held.
 *
 * Never blocks, sends nothing. Call it when you may call rdl_lock_init(). After an error acquire returns the
 * same error.
 *
 * @param l         the lock
 * @param opt       its options, which must stay valid as long as the lock is used
 * @param conn      the connection, which was set up before and stays valid as long as the lock is used
 * @param name      the key: bytes of any value; not copied: keep them valid as long as the lock is used
 * @param name_len  their number, 1 to RDL_NAME_MAX
 * @return RDL_OK: the lock is set up.
 *         RDL_E_NAME: name_len is out of range.
 *         RDL_E_TTL: opt->ttl_ms is out of range.
 */
int rdl_lock_init_fenced(struct rdl_lock_fenced *l, const struct rdl_lock_options *opt, struct rdl_conn *conn,
                         const void *name, size_t name_len);

/**
 * Sets the least fencing token that the next acquire may get, for example the wall clock in ms.
 *
 * A token is always greater than the last one of this lock. If min is above RDL_FENCE_MAX, acquire returns
 * RDL_E_FENCE_RANGE. It returns the same if the server's next token would be above RDL_FENCE_MAX. Then
 * {name}:fence cannot grow any more: delete it by hand once no resource remembers a token of this lock.
 *
 * Let T be the longest ttl of any client. With wall clocks in ms, tokens grow even if the server loses
 * {name}:fence, on three conditions:
 *
 *   1. The server is away for at least T.
 *   2. The clients' clocks agree within T/2.
 *   3. Each client's last call of this function was less than T/2 before the grant. So call it before each
 *      rdl_lock_step() while you wait. With the blocking functions, use a short wait_ms, and call it before
 *      each acquire.
 *
 * Never blocks. Call it in any state: during an acquire it applies from the next attempt on.
 *
 * @param l    the lock
 * @param min  the least token, 1 to RDL_FENCE_MAX; 0: none
 */
void rdl_lock_set_min_fence(struct rdl_lock_fenced *l, uint64_t min);

/**
 * Returns the fencing token of the lease.
 *
 * Pass it to the resource with every write. The resource must remember the greatest token and reject smaller
 * ones. A lease that expired and was not released keeps its token. Never blocks. Call it in any state.
 *
 * @param l  the lock
 * @return 1 to RDL_FENCE_MAX; 0: not held, or adopted (only the client that acquired the lock got the token)
 */
uint64_t rdl_lock_fence(const struct rdl_lock_fenced *l);

/* ---------------------------------------------------------------- legacy (lock_legacy.c) */

/**
 * Kinds of locks of the old protocol, for fleets that speak it: SETNX with the Unix time of the expiry.
 *
 * A client takes the lock over when that time has passed. The protocol is known to be unsafe: the historic
 * takeover by GETSET can give the lock to two clients even if all clocks are perfect (redlock/DESIGN.md,
 * section 4). This library compares and sets in one step, by script or under WATCH. Only if the server
 * refuses both does it use plain GETSET, as best effort.
 *
 * Clients that use GETSET can still overwrite our value, and they take a plain token for a number, mostly a
 * small one. So do not mix legacy locks with plain locks, nor with clients that count in milliseconds
 * (jedis-lock, npm redis-lock). Those read our seconds as a time long past, and take the lock at once.
 *
 * redis-py's lock without a timeout (2147483649.0) has no end: acquire returns RDL_BUSY, and
 * rdl_lock_holder_ms() is -1. It is never taken over: its holder releases it, or you delete the key by hand.
 *
 * A waiting client's GETSET may overwrite our value although that client does not get the lock. The value in
 * the key may then be that client's or, if its ttl is shorter than ours, a later holder's. There is nothing
 * to extend or delete:
 *
 *     extend   RDL_LOST         the lease is over
 *     release  RDL_OVERWRITTEN  our lease is not over, and the value's time is no earlier than ours, or
 *                               could not be read; the key stays until that time (rdl_lock_holder_ms();
 *                               -1: for ever, delete it by hand when no client holds the lock)
 *              RDL_LOST         any other value, or no key
 *              RDL_UNKNOWN      the release was sent again on a new connection: the value may be the next
 *                               holder's
 */
enum rdl_legacy {
    RDL_LEGACY, /**< SECONDS.FRACTION: the fraction, nine digits, identifies the holder */
    /**
     * Whole seconds, for clients that read nothing else. The value does not identify the holder. So no
     * release follows an acquire without a reply. An extend without a reply may leave a new value: a release
     * deletes it only while more than two attempts' time remains of the lease.
     */
    RDL_LEGACY_INTEGER,
    /**
     * As RDL_LEGACY, if you know two things about all other clients: none uses a shorter ttl, and none
     * deletes a lock that it does not hold.
     *
     * Then a value that overwrote ours is a waiting client's until our lease ends, unless a client is delayed
     * between reading its clock and its GETSET. An extend returns RDL_OVERWRITTEN: the lease continues to its
     * end, with remaining_ms as before, but cannot be extended. A release deletes the value that it finds,
     * and returns RDL_REMOVED. It sends this request once and never again. It returns RDL_OVERWRITTEN, as
     * above, if less than two attempts' time remains of the lease, or if the value changed again.
     */
    RDL_LEGACY_SHORTEST
};

/** A lock of the old protocol. */
struct rdl_lock_legacy {
    struct rdl_lock lock; /**< use it with all functions of a lock, in its place: a copy is not a lock */
    /** @cond private */
    /* The server's clock (_s, _ms) as read at clock_at_ms; too early by clock_error_ms at most. */
    uint64_t clock_at_ms;
    uint32_t clock_s;
    uint32_t clock_error_ms;
    uint16_t clock_ms;
    uint8_t kind; /* enum rdl_legacy */
    uint8_t phase;
    uint8_t value_len;
    uint8_t other_len;       /* of peer, while that may be ours: after an extend without a reply */
    char peer[RDL_PEER_MAX]; /* the value in the way, or the next one of our own */
    /** @endcond */
};

/**
 * Sets up a legacy lock, not held.
 *
 * Never blocks, sends nothing. Call it when you may call rdl_lock_init(). After an error acquire returns the
 * same error.
 *
 * @param l         the lock
 * @param opt       its options, which must stay valid as long as the lock is used
 * @param conn      the connection, which was set up before and stays valid as long as the lock is used
 * @param name      the key: bytes of any value; not copied: keep them valid as long as the lock is used
 * @param name_len  their number, 1 to RDL_NAME_MAX
 * @param kind      the kind of value, the same for all clients of the lock
 * @return RDL_OK: the lock is set up.
 *         RDL_E_NAME: name_len is out of range.
 *         RDL_E_TTL: opt->ttl_ms is out of range.
 */
int rdl_lock_init_legacy(struct rdl_lock_legacy *l, const struct rdl_lock_options *opt, struct rdl_conn *conn,
                         const void *name, size_t name_len, enum rdl_legacy kind);

/**
 * Sets this host's wall clock, for servers that refuse TIME (before Redis 2.6 there is none).
 *
 * On other servers it is not used. Without it, acquire on such servers returns RDL_E_UNSUPPORTED or
 * RDL_E_PERM. Set it again at least once a day: an older setting is ignored. Its error grows by 1 % of its
 * age. Never blocks. Call it in any state.
 *
 * @param l            the lock
 * @param wall_s       the Unix time in seconds at now_ms; below 1000000000 (the year 2001): forgets the
 *                     clock, because this one was never set
 * @param max_skew_ms  by how much it may be wrong, in ms
 * @param now_ms       the current time in ms; 0: forgets the clock
 */
void rdl_lock_set_clock(struct rdl_lock_legacy *l, uint32_t wall_s, uint32_t max_skew_ms, uint64_t now_ms);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
