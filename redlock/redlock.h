/* SPDX-License-Identifier: MIT */
/**
 * @file
 * @brief redlock.h - one lock on N independent servers (Redlock), and the renewal timer.
 *
 * The lock is held while a majority of the *configured* servers has granted it: N/2 + 1, whatever is down.
 * All servers get each request at once, except that after RDL_BUSY an attempt may first ask one server alone.
 * An operation ends as soon as its outcome is certain: a slow or dead minority does not delay a grant. Use it
 * like lock.h: blocking calls, or _begin and rdl_redlock_step(). Call each function between operations only,
 * unless its comment says more. Functions that only read the lock may be called in any state.
 *
 *     for (i = 0; i < 5; i++)
 *         servers[i].conn = &conns[i].conn;
 *     rdl_redlock_init(&lock, &opt, servers, 5, RDL_NAME("nightly"));
 *     int rc = rdl_redlock_acquire(&lock, &platform);
 *     ...
 *     rdl_redlock_release(&lock, &platform);
 *
 * redlock/examples/minimal.c is the whole program. Results (resp.h explains their signs):
 *
 *     operation  result             what happened                                         remaining_ms
 *     acquire    RDL_OK             a majority granted it in time                         > 0
 *                RDL_BUSY           other clients' keys prevent a majority                0
 *                RDL_EXPIRED        a majority granted it too late to be of use           0
 *                RDL_NO_QUORUM      no majority of the servers gave a useful reply        0
 *                RDL_E_QUARANTINE   too few servers count in time (enum rdl_guard)        0
 *     extend     RDL_OK             a majority had it without a gap, and extended it      > 0, never less
 *                RDL_REPAIRED       the same, and keys that were gone were put back       > 0, never less
 *                RDL_ADOPTED        the lock of an adopted token is ours now              > 0
 *                RDL_HELD_WITH_GAP  a majority has it, but there may have been a gap      > 0
 *                RDL_E_GAP          the same, and the options do not accept it            0
 *                RDL_LOST           the lease expired, or a majority no longer has it     0
 *                RDL_UNKNOWN        no majority replied either way in time                as before the call
 *                RDL_E_CAP          refused: it exceeds what the options allow            as before the call
 *     release    RDL_OK             released: a majority no longer has it                 0
 *                RDL_EXPIRED        a majority had lost it before the release (a warning) 0
 *                RDL_LOST           another client holds a majority by now                0
 *                RDL_UNKNOWN        no conclusive replies from a majority; may be pending 0
 *
 * A gap is a time in which too few servers had our key, so that another client may have held the lock.
 */
#ifndef RDL_REDLOCK_H
#define RDL_REDLOCK_H

#include "lock/lock_io.h"

/** @addtogroup libredlock_redlock
 * @{ */

#ifdef __cplusplus
extern "C" {
#endif

/** Limits of this layer. */
enum {
    RDL_SERVERS_MAX = 7 /**< most servers of one lock */
};

/**
 * Modes of the restart guard: when the votes of a restarted server count.
 *
 * A run is the time from a server's start to its end. A server that started less than max_ttl ago may have
 * lost a lock. Its votes do not count until max_ttl and 1 s have passed (quarantine): since its start, or
 * since this process first saw this run. The second also applies, in each mode but OFF, if a conn finds
 * another run than before: its address may lead to another server now.
 *
 * The run_id identifies a run. Where INFO reports an uptime but no run_id (Dragonfly, Kvrocks), the
 * start identifies it. There, a server that is listed twice is not detected.
 *
 * A server refuses INFO if it replies with RDL_E_PERM or RDL_E_UNSUPPORTED, or with an unknown error whose
 * text contains the word INFO, as some proxies do. That last one is no refusal with RDL_GUARD_STRICT and
 * RDL_GUARD_REQUIRED, nor after INFO was once answered over the conn. After any other error the connection
 * fails and is retried.
 */
enum rdl_guard {
    RDL_GUARD_IF_PERMITTED, /**< as RDL_GUARD_REQUIRED, but a server that refuses INFO counts at once */
    /** Counts max_ttl and 1 s after this run's start, by the uptime in INFO; never if it refuses INFO. */
    RDL_GUARD_REQUIRED,
    RDL_GUARD_STRICT, /**< the same after this process first saw this run */
    RDL_GUARD_OFF     /**< counts always: for servers that lose nothing (appendfsync always) */
};

/**
 * Makes every new connection of a conn check its server before any request: role, run id, uptime.
 *
 * rdl_redlock_init() calls it for each conn. Call it yourself for a conn of a lock on one server, before the
 * conn is opened. Such a connection refuses replicas (RDL_E_READONLY) and cluster nodes (RDL_E_CLUSTER).
 * Calling it again does no harm.
 *
 * @param c  the conn, set up, with rdl_conn_config.server_info
 * @return RDL_OK. RDL_E_CONFIG: rdl_conn_config.server_info is NULL, or the conn is open and its server was
 *         not checked; nothing has changed.
 */
int rdl_guard_conn(struct rdl_conn *c);

/** How fencing over N servers is done (private). */
struct rdl_fencing_ops;

/** Fencing over N servers, for rdl_redlock_options.fencing. */
extern const struct rdl_fencing_ops rdl_fencing;

/**
 * The options of a lock on N servers. The caller owns them and keeps them valid as long as the lock exists;
 * many locks may share them. 0 is the default of each. Between operations you may change `lease`, max_hold_ms
 * and max_extensions: each operation reads and checks them again. Keep the others unchanged.
 */
struct rdl_redlock_options {
    struct rdl_lock_options lease; /**< ttl, waiting and attempts, as for a lock on one server */
    /**
     * The longest ttl of any client of these servers, in ms; all clients use the same. 0: RDL_TTL_DEFAULT_MS,
     * which no version changes. If it is shorter, set lease.ttl_ms, too.
     */
    uint32_t max_ttl_ms;
    uint32_t max_hold_ms; /**< from the acquire to the end of an extend's ttl, in ms, at most; 0: no limit */
    uint32_t max_extensions;               /**< most extends of one lease; 0: no limit */
    const struct rdl_fencing_ops *fencing; /**< &rdl_fencing: acquire gives a fencing token; NULL: none */
    uint8_t guard;                         /**< enum rdl_guard; 0: RDL_GUARD_IF_PERMITTED */
    /**
     * 1: an extend that finds a possible gap keeps the lease and returns RDL_HELD_WITH_GAP: mutual exclusion
     * may have been violated. 0: it returns RDL_E_GAP.
     */
    uint8_t accept_gap;
};

/** The vote of one server in the last operation. */
enum rdl_vote {
    RDL_VOTE_NONE,    /**< no request was sent */
    RDL_VOTE_PENDING, /**< a request was sent; no reply yet */
    RDL_VOTE_GRANTED, /**< granted, extended or deleted */
    RDL_VOTE_DENIED,  /**< another client holds the key */
    RDL_VOTE_ABSENT,  /**< extend, release: no such key */
    RDL_VOTE_ERROR,   /**< refused with an error */
    RDL_VOTE_UNKNOWN  /**< no reply will come, or it is not conclusive (rdl_redlock_release_begin()) */
};

/**
 * One server, as one redlock sees it.
 *
 * Set conn before rdl_redlock_init(). You may read the other public members when an operation has ended.
 */
struct rdl_server {
    struct rdl_conn *conn; /**< its connection, borrowed; several redlocks may share it */
    uint8_t vote;          /**< enum rdl_vote */
    uint8_t counts;        /**< 1: the restart guard lets its vote count */
    /** @cond private */
    uint8_t needs_release; /* a SET with the current token was queued: a release must follow */
    uint8_t certainty;     /* CERTAINTY_..., by its last reply (redlock_private.h) */
    uint8_t is_repair;     /* its last request puts the key back */
    uint8_t raise;         /* fenced: RAISE_..., the request to hold the token (redlock_fenced.c) */
    uint8_t numbered;      /* fenced: it holds the token, or a greater one */
    uint8_t is_past;       /* since its last grant: another run was seen, or no request was sent for a ttl */
    /** @endcond */
    int16_t error; /**< why the vote is ERROR, UNKNOWN or NONE: RDL_E_...; see rdl_redlock_error() */
    /** @cond private */
    uint16_t user; /* of the first server: number of the redlock that used servers[] last */
    /** @endcond */
    uint32_t took_ms; /**< from the request until the step that found its reply, in ms */
    /** @cond private */
    uint64_t asked_ms; /* when the last request was queued */
    /** @endcond */
    int64_t value; /**< DENIED: the key's PTTL in ms (-1 no expiry, -2 unknown); GRANTED, fenced: its token */
    /** @cond private */
    struct rdl_req req;
    /** @endcond */
};

/** How a canary is checked (private). */
struct rdl_canary_ops;

/**
 * The canary of one server: detects lost data (opt-in, rdl_redlock_set_canary()). Its members are private.
 *
 * The canary is the key RDL_CANARY_KEY, without expiry. The first client that does not find it creates it.
 * If it is missing, or belongs to another server, the server may have lost locks: by FLUSHALL, or because a
 * replica that lagged was promoted. It then does not count for max_ttl and 1 s, as after a restart. Each SET
 * and extend reads it, which costs two small replies and no round trip.
 */
struct rdl_canary {
    /** @cond private */
    const struct rdl_canary_ops *ops;
    uint8_t stage;
    uint8_t answer;
    uint8_t is_early; /* the check was sent together with the vote's request */
    int16_t error;
    uint32_t created_s; /* by the server's clock */
    int64_t since_ms;   /* the server has had its data since then, by our clock */
    struct rdl_req req;
    char found[RDL_VALUE_MAX];
    /** @endcond */
};

/** The key of the canary: no name of a redlock (RDL_E_NAME), nor of another lock on one of these servers. */
#define RDL_CANARY_KEY "rdl:canary"

/**
 * One lock on N servers. Its members are private, except `extensions`.
 *
 * Lifetime: the handle, its servers[], canaries and hint are in use while an operation is RDL_PENDING, and
 * after an acquire or adopt that succeeded. They are no longer in use when a release has ended, an extend has
 * ended with RDL_LOST, RDL_E_GAP, RDL_E_SYSTEM or RDL_E_FORKED, or rdl_redlock_cancel() has returned.
 *
 * Expiry does not end the use: release or cancel an expired lease, too. At all other times nothing in the
 * library refers to this memory: free it, move the handle, or set it up again there or elsewhere. The library
 * does not wait for servers that have not replied by then (RDL_E_ABANDONED). Debug builds assert if memory in
 * use is set up again.
 *
 * A copy of a handle in use holds nothing: its calls do nothing and return RDL_E_SHARED. Of two copies of one
 * that is not in use, the first that is used again works; to the other that applies.
 *
 * Pending releases are sent as you service the conns. If a conn's queue is full when release returns, later
 * steps of the handle queue that release. If there are none, the key's ttl ends it.
 */
struct rdl_redlock {
    /** @cond private */
    const struct rdl_redlock_options *opt;
    struct rdl_server *servers;
    struct rdl_canary *canaries; /* or NULL */
    uint8_t n;
    uint8_t state;
    uint8_t action;
    uint8_t tries;
    uint8_t name_len;
    uint8_t has_new_entropy;   /* the next attempt uses `entropy` */
    uint8_t probe_server;      /* the server that is asked first, alone, plus 1; 0: all are asked */
    uint8_t by_probe_server;   /* this attempt began with a probe server */
    uint8_t probe_server_next; /* the next attempt begins with one */
    uint8_t probe_server_skip; /* bit i: server i is not used as one */
    int16_t result;
    uint16_t attempts; /* these four are of the last acquire, the times cut to 32 bits: rdl_stats */
    uint16_t refused;
    uint16_t user; /* another number with each use; not the first server's: another redlock has servers[] */
    uint32_t seed;
    struct rdl_hint *hint; /* or NULL */
    const void *name;
    const struct rdl_redlock *self; /* itself, while it is in use: a copy of it is elsewhere */
    struct rdl_owner *owner;        /* or NULL */
    uint32_t begun_ms;
    uint32_t stepped_ms;
    uint32_t ttl_ms;
    uint32_t abort_below_ms; /* half of what was left at the first failed extend; 0: none; 1: it was done */
    /** @endcond */
    uint32_t extensions; /**< extends of this lease that succeeded; read-only */
    /** @cond private */
    uint64_t sent_ms;     /* t1 of the attempt, the extend, the release */
    uint64_t until_ms;    /* end of validity; 0: not held; UINT64_MAX: adopted, not confirmed yet */
    uint64_t since_ms;    /* held since */
    uint64_t keys_end_ms; /* by then all our keys have expired; UINT64_MAX: adopted, unknown */
    uint64_t deadline_ms; /* of the whole operation; of a release: when the lease ended or would have */
    uint64_t wake_ms;     /* when the current state ends */
    uint64_t tick_ms;     /* when a conn needs the next step */
    uint64_t fence;       /* fenced: the last token given; the next is greater */
    uint64_t least;       /* and not less than this; 0: none was set */
    uint64_t number;      /* that of this lease; 0: none */
    struct rdl_token token;
    char value[RDL_VALUE_MAX];        /* the token in hex */
    uint8_t entropy[RDL_ENTROPY_LEN]; /* of an acquire that has sent nothing yet: the old token is needed */
    uint32_t holder_ends_ms;          /* rdl_has_changed_hands */
    /** @endcond */
};

/* ---------------------------------------------------------------- setting up */

/**
 * Sets up a lock on N servers, not held.
 *
 * Sends nothing. All arguments are borrowed and must stay valid as long as you use the handle. Each redlock
 * has its own servers[]; many redlocks and locks may share the conns. If another one is set up with these
 * servers[] and the same conns, the calls of this one do nothing and return RDL_E_SHARED. Release and cancel
 * then still end its lease and its use of canaries and hint, but its keys stay until their ttl ends.
 *
 * Pass conns that are set up and not open yet, unless another redlock uses them already. This call makes them
 * check their servers (rdl_guard_conn()).
 *
 * Call it on a new handle, or on one that is not in use (struct rdl_redlock).
 *
 * @param r         the lock
 * @param opt       its options, constant
 * @param servers   n entries, each with `conn` set; all other members are reset
 * @param n         number of servers, 1 to RDL_SERVERS_MAX
 * @param name      the lock's name: RDL_NAME("...") for a literal; any bytes, but not RDL_CANARY_KEY
 * @param name_len  its length in bytes, 1 to RDL_NAME_MAX
 * @return RDL_OK, or an error that acquire repeats, and adopt, too, unless it is RDL_E_TTL.
 *         RDL_E_NAME: the name is empty, too long, or RDL_CANARY_KEY. RDL_E_TTL: the ttl is under four
 *         attempts, or above max_ttl_ms or RDL_TTL_MAX. RDL_E_CONFIG: see rdl_redlock_config_fault(). If a
 *         conn is open and did not check its server, set the handle up again when that connection has ended.
 *         If a conn is set up again later (rdl_conn_init()), its server does not count (RDL_E_CONFIG) until
 *         the handle is set up again, too; with RDL_GUARD_OFF it counts.
 */
int rdl_redlock_init(struct rdl_redlock *r, const struct rdl_redlock_options *opt, struct rdl_server *servers,
                     size_t n, const void *name, size_t name_len);

/**
 * Says what is wrong with the set-up of a redlock, after RDL_E_CONFIG: the number of servers, the guard, a
 * conn without server_info, or a conn that was opened before rdl_redlock_init().
 *
 * @param opt      its options
 * @param servers  its servers, as for rdl_redlock_init(); not read if n is out of range
 * @param n        number of servers
 * @return a constant that names the member, such as "rdl_redlock_options.guard is not set"; NULL: no mistake,
 *         but a conn may have one (rdl_conn_config_fault())
 */
const char *rdl_redlock_config_fault(const struct rdl_redlock_options *opt, const struct rdl_server *servers,
                                     size_t n);

/**
 * Makes a lock check the canaries of its servers (struct rdl_canary).
 *
 * All clients of the servers should use canaries. With ACLs, grant access to RDL_CANARY_KEY: a server that
 * denies it is treated like one that denies INFO. Servers that never had a canary do not count for max_ttl
 * and 1 s after the first acquire. During this time acquires return RDL_E_QUARANTINE, at once if it lasts
 * longer than they may wait. With RDL_GUARD_STRICT, max_ttl and 1 s begin when the canary was first read into
 * its struct. Resetting the struct starts that wait again.
 *
 * It detects a promoted replica by the run in the canary, which is the old master's. But a client that may
 * not use INFO, or whose servers report no run_id, accepts a canary of any run. And after two failovers
 * within max_ttl, a server may find its own canary again. Before Redis 5, or where scripts are disabled, a
 * request that creates a canary must not be delayed by more than max_ttl (DESIGN.md, section 6).
 *
 * Call it before the first acquire.
 *
 * @param r     the lock
 * @param each  one entry for each server, reset here; borrowed like servers[]
 */
void rdl_redlock_set_canary(struct rdl_redlock *r, struct rdl_canary *each);

/**
 * Makes an acquire wait for a wake hint (struct rdl_hint in lock/lock_hint.h).
 *
 * The hint's conn must lead to server 0. While server 0 refuses the lock, an acquire waits for a release
 * there. All clients must list the servers in the same order. Everything else is as with one server
 * (rdl_lock_set_hint()).
 *
 * @param r     the lock
 * @param hint  the hint, borrowed like the handle; NULL: none
 */
void rdl_redlock_set_hint(struct rdl_redlock *r, struct rdl_hint *hint);

/* ---------------------------------------------------------------- in steps, for an event loop */

/**
 * Begins to acquire the lock on a majority of the servers.
 *
 * Call rdl_redlock_step() until it no longer returns RDL_PENDING.
 *
 * The attempt begins when a majority of the conns is ready. The wait for them is bounded by the longest
 * connect_ms, and contains the rest of the pauses after earlier failures. It ends at once if a majority is
 * refused then. RDL_E_QUARANTINE waits for the conns that are connecting. An attempt that cannot get a
 * majority any more releases at once what it holds. Whether the result is RDL_BUSY or RDL_NO_QUORUM may
 * depend on the other replies, for which it waits within the attempt's time.
 *
 * It first releases an expired lease, or an adopted token that no extend has confirmed.
 *
 * @param r        the lock, not held
 * @param entropy  RDL_ENTROPY_LEN bytes that no other acquire gets, as of rdl_lock_acquire_begin(); copied
 * @param now_ms   the time in ms
 * @return RDL_PENDING, or at once a result of an acquire or an error of rdl_redlock_init(): nothing was sent
 */
int rdl_redlock_acquire_begin(struct rdl_redlock *r, const uint8_t entropy[RDL_ENTROPY_LEN], uint64_t now_ms);

/**
 * Begins to extend the lease, or to confirm an adopted token: the keys then expire ttl_ms from now at the
 * earliest.
 *
 * It never shortens a lease and never revives an expired one. Afterwards rdl_redlock_remaining_ms() is at
 * least ttl_ms less the drift, counted from the sending. Where the key is gone it is put back, after a
 * majority has confirmed the lease; but not for an adopted token.
 *
 * It ends one attempt (rdl_lock_options.attempt_ms) after it began, or with the lease. This includes the wait
 * for a majority of the conns. Those that are still connecting then go on, and a later extend uses them. If
 * keys are put back, it takes one attempt more. With an adopted token the attempt begins when a majority of
 * the conns is ready, as with acquire.
 *
 * Stalled connections are as with rdl_lock_extend_begin(). R counts from the first extend that was not
 * confirmed, and a step closes those of this lock once less than R/2 is left.
 *
 * Gaps are only detected if lost data is. So use the restart guard, for restarts, and the canary, for lost
 * data (DESIGN.md, section 7).
 *
 * @param r       the lock
 * @param ttl_ms  the new ttl in ms: four attempts (rdl_lock_options.attempt_ms) to max_ttl_ms
 * @param now_ms  the time in ms
 * @return RDL_PENDING, or at once:
 *         RDL_E_TTL, RDL_E_CAP: ttl_ms is out of range, or the options forbid this extend. Nothing was sent
 *         or changed; the lease, if there still is one, continues. rdl_redlock_step() still returns the
 *         result of the previous operation.
 *         RDL_LOST: the lock is not held; the keys of an expired lease are released.
 *         Any other result of an extend.
 */
int rdl_redlock_extend_begin(struct rdl_redlock *r, uint32_t ttl_ms, uint64_t now_ms);

/**
 * Begins to release the lock on all servers that may have its key.
 *
 * The lease is over from here on, whatever the servers reply. No client may extend or adopt this token any
 * more: a pending release would delete the key under its new holder.
 *
 * A release that meets a temporary error stays pending until the key must have expired (lock.h). An adopted
 * key's release is sent until a conclusive reply, but for at most max_ttl and 1 s after a first temporary
 * error. After RDL_UNKNOWN you may release again: servers that have reported what became of the key get no
 * second request.
 *
 * If a connection closes before the reply, the release is sent again over the next one. It may then find no
 * key, or another client's. If the same run of that server replies (run_id), the first release was executed.
 * The reply of another run is taken as it is. If INFO is refused, the run is unknown, and so is the vote
 * (RDL_VOTE_UNKNOWN).
 *
 * You may also call it while an extend is pending: the extend's replies are not waited for.
 *
 * @param r       the lock, held or expired
 * @param now_ms  the time in ms
 * @return RDL_PENDING, or at once a result of a release.
 *         RDL_EXPIRED: this handle has nothing to release, and nothing is sent. It never acquired the lock,
 *         or released or lost it already. A lease that has only expired is still released.
 */
int rdl_redlock_release_begin(struct rdl_redlock *r, uint64_t now_ms);

/**
 * Continues an operation.
 *
 * Call it when a conn did something, and at rdl_redlock_wake_ms(); between operations, too: it counts late
 * replies and sends late releases. Read first, as for rdl_lock_step().
 *
 * RDL_BUSY: other clients' keys are on so many servers that no majority is left. Or those that refused and
 * those that granted are a majority together. Possibly no client holds the lock: several of them may have
 * split the servers.
 *
 * @param r       the lock
 * @param now_ms  the time in ms
 * @return RDL_PENDING, or the result, which is repeated until the next operation begins: that of the table
 *         above. A fenced acquire: RDL_E_UNSUPPORTED (scripts are refused) or RDL_E_FENCE_RANGE, too.
 *         After rdl_redlock_cancel(): RDL_EXPIRED. Before the first operation the result means nothing.
 *         RDL_E_SHARED: the operation has ended. A lease is in use until you release or cancel it.
 */
int rdl_redlock_step(struct rdl_redlock *r, uint64_t now_ms);

/**
 * Returns when rdl_redlock_step() must be called, even if no conn did anything.
 *
 * @param r  the lock
 * @return an absolute time in ms; UINT64_MAX: nothing is waited for
 */
uint64_t rdl_redlock_wake_ms(const struct rdl_redlock *r);

/**
 * Aborts an operation, and releases what was or may have been granted, in any state.
 *
 * On a held lock it is a release that is not waited for (rdl_lock_release()). You may reuse the memory at
 * once. But a release for which a queue has no room is then lost, and the key's ttl ends the key. To have it
 * sent, keep the handle, and step it until rdl_redlock_is_idle().
 *
 * @param r  the lock
 */
void rdl_redlock_cancel(struct rdl_redlock *r);

/* ---------------------------------------------------------------- the lease */

/**
 * Returns how long the lease is certainly ours, by our own clock.
 *
 * @param r       the lock
 * @param now_ms  the time in ms
 * @return the remaining time in ms; 0: not held, expired, or adopted and not confirmed
 */
uint32_t rdl_redlock_remaining_ms(const struct rdl_redlock *r, uint64_t now_ms);

/**
 * Returns when the lease ends for us.
 *
 * @param r  the lock
 * @return an absolute time in ms, which may have passed; 0: not held, or adopted and not confirmed
 */
uint64_t rdl_redlock_until_ms(const struct rdl_redlock *r);

/**
 * Returns whether no request, of any lock, is unsent or unanswered on the lock's connections.
 *
 * @param r  the lock
 * @return 1: all conns are idle, and no release of this lock waits for room; 0: not yet
 */
int rdl_redlock_is_idle(const struct rdl_redlock *r);

/**
 * Adopts the token of a lock that was acquired elsewhere: by another handle, process or host.
 *
 * All is as with rdl_lock_adopt(). The extend returns RDL_ADOPTED if a majority has that token. What this
 * handle held before, under another token, is released first, as by rdl_redlock_cancel().
 *
 * @param r          the lock
 * @param token_hex  40 hex digits in lower case, from rdl_redlock_token(); copied; no NUL is needed
 * @param len        their number, 40
 * @return RDL_OK. Nothing has changed: RDL_E_TOKEN (other digits), RDL_E_SHARED, or an error of
 *         rdl_redlock_init() but RDL_E_TTL.
 */
int rdl_redlock_adopt(struct rdl_redlock *r, const char *token_hex, size_t len);

/**
 * Writes the token of a lock that is held or adopted as text, for rdl_redlock_adopt().
 *
 * @param r    the lock; no release of it has begun
 * @param out  receives 40 hex digits in lower case, its owner (redlock_owner.h) and a NUL; RDL_TOKEN_TEXT_MAX
 *             bytes
 */
void rdl_redlock_token(const struct rdl_redlock *r, char out[RDL_TOKEN_TEXT_MAX]);

/* ---------------------------------------------------------------- fencing tokens */

/**
 * Sets the least fencing token that the next acquire may give, for example the wall clock in ms.
 *
 * It takes effect from the next attempt on. An acquire returns RDL_E_FENCE_RANGE if the least token is above
 * RDL_FENCE_MAX (lock/lock_fenced.h), or if so many servers gave a greater one that no majority is left.
 *
 * Tokens are unique and grow from holder to holder, while enough servers keep the key {name}:fence. N is the
 * number of configured servers. q is a majority of them, N/2 + 1. h is the number of servers that held the
 * last token (rdl_redlock_fence_holders()). At most h + q - N - 1 of these h servers may lose it, or come
 * back with an older one. An acquire waits until q servers hold the token. Steps between operations, and
 * each extend, raise it on the others.
 *
 * If more servers lose it, wall clocks as the least token help (rdl_lock_set_min_fence()), with max_ttl as
 * the longest ttl. DESIGN.md, section 9, has examples.
 *
 * @param r    the lock, with rdl_redlock_options.fencing
 * @param min  1 to RDL_FENCE_MAX; 0: none
 */
void rdl_redlock_set_min_fence(struct rdl_redlock *r, uint64_t min);

/**
 * Returns the fencing token of the lease, to be used as that of rdl_lock_fence().
 *
 * @param r  the lock
 * @return the token, 1 to RDL_FENCE_MAX; 0: not held, not fenced, adopted, or RDL_HELD_WITH_GAP
 */
uint64_t rdl_redlock_fence(const struct rdl_redlock *r);

/**
 * Returns how many servers have confirmed that they hold the fencing token of the lease.
 *
 * @param r  the lock
 * @return h in the formula of rdl_redlock_set_min_fence(); 0: there is no token
 */
unsigned rdl_redlock_fence_holders(const struct rdl_redlock *r);

/* ---------------------------------------------------------------- reports */

/**
 * Returns what the last acquire cost. One that was refused at once for its arguments does not count.
 *
 * @param r  the lock
 * @return the counts, until the next acquire begins; while it is pending, so far
 */
struct rdl_stats rdl_redlock_stats(const struct rdl_redlock *r);

/**
 * Returns for how long the keys in the way still prevent a majority: after an acquire with RDL_BUSY.
 *
 * @param r  the lock
 * @return a duration in ms, counted from the reply. -1: too many of them have no expiry. -2: not known, or
 *         the result was not RDL_BUSY
 */
int64_t rdl_redlock_holder_ms(const struct rdl_redlock *r);

/**
 * Returns when the votes of a server begin to count.
 *
 * @param r  the lock
 * @param i  the server's index, 0 to n - 1
 * @return an absolute time in ms, which may have passed; 0: they count.
 *         UINT64_MAX: not foreseeable. If the server is listed twice, or refuses INFO that the guard
 *         requires: never with this configuration. If it is not connected: not known until it connects.
 */
uint64_t rdl_redlock_counts_at(const struct rdl_redlock *r, size_t i);

/**
 * Returns whether a server may delete locks when its memory is full.
 *
 * @param r  the lock
 * @param i  the server's index, 0 to n - 1
 * @return 1: maxmemory is set, and maxmemory-policy is not noeviction; 0: not so, or unknown
 */
int rdl_redlock_may_evict(const struct rdl_redlock *r, size_t i);

/**
 * Returns why a server gave no useful reply in the last operation, or can give none now.
 *
 * @param r  the lock
 * @param i  the server's index, 0 to n - 1
 * @return RDL_E_..., or RDL_OK: there is no reason. RDL_E_ABANDONED: the operation ended without its reply
 */
int rdl_redlock_error(const struct rdl_redlock *r, size_t i);

/**
 * Counts the servers that had this vote in the last operation.
 *
 * @param r     the lock
 * @param vote  the vote to count
 * @return their number, 0 to n
 */
unsigned rdl_redlock_count(const struct rdl_redlock *r, enum rdl_vote vote);

/**
 * Writes a line for people about a server's part in the last operation.
 *
 * For example "confirmed in 3 ms", "held by another client for another 800 ms", "restarted too recently to be
 * used for another 27000 ms", "timed out", or "not waited for": the outcome was already certain.
 *
 * @param r       the lock
 * @param i       the server's index, 0 to n - 1
 * @param now_ms  the time in ms
 * @param out     receives the text, cut to cap - 1 bytes, and a NUL
 * @param cap     its size in bytes, 1 or more; 128 is enough
 * @return the length of the line in bytes, without the NUL
 */
size_t rdl_redlock_report(const struct rdl_redlock *r, size_t i, uint64_t now_ms, char *out, size_t cap);

/* ---------------------------------------------------------------- blocking (redlock_io.c) */

/**
 * Acquires the lock on a majority of the servers.
 *
 * Without lease.wait_ms or lease.retry_ms there is one attempt: it blocks for the longest connect_ms and one
 * attempt at most. Otherwise it blocks for lease.wait_ms and one attempt at most, because the first attempt
 * always has its full time. With fencing, raising the token on a majority may take one further attempt_ms.
 * All else is as with rdl_redlock_acquire_begin().
 *
 * @param r         the lock, not held
 * @param platform  clock, random numbers and polling; not needed after the call
 * @return a result of rdl_redlock_acquire_begin(), or RDL_E_RANDOM, RDL_E_INTERRUPTED, RDL_E_SYSTEM or
 *         RDL_E_FORKED, as of rdl_lock_acquire(): canceled as by rdl_redlock_cancel(), so this handle holds
 *         nothing
 */
int rdl_redlock_acquire(struct rdl_redlock *r, const struct rdl_platform *platform);

/**
 * Extends the lease, or confirms an adopted token: the keys then expire ttl_ms from now at the earliest.
 *
 * Blocks for one attempt at most (rdl_lock_options.attempt_ms), the wait for the conns included. If keys are
 * put back, it blocks for one attempt more. It never blocks beyond the lease. With an adopted token it first
 * waits for a majority of the conns, for the longest connect_ms at most. It ignores wake-ups from outside, so
 * that a program can clean up after a signal. All else is as with rdl_redlock_extend_begin().
 *
 * Before it begins, it does what rdl_redlock_step() does between operations, and does not wait for that.
 *
 * @param r         the lock
 * @param platform  clock and polling; not needed after the call
 * @param ttl_ms    the new ttl in ms: four attempts (rdl_lock_options.attempt_ms) to max_ttl_ms
 * @return a result of rdl_redlock_extend_begin(). RDL_E_SYSTEM, RDL_E_FORKED: as of rdl_redlock_acquire()
 */
int rdl_redlock_extend(struct rdl_redlock *r, const struct rdl_platform *platform, uint32_t ttl_ms);

/**
 * Releases the lock on all servers that may have its key.
 *
 * Blocks until a majority of the conns is ready, for the longest connect_ms at most, and then for one attempt
 * at most. It ignores wake-ups from outside. Releases that are then still pending were written to the sockets
 * that had room. The rest are sent by rdl_redlock_drain(), or as you service the conns. All else is as with
 * rdl_redlock_release_begin().
 *
 * @param r         the lock, held or expired
 * @param platform  clock and polling; not needed after the call
 * @return a result of rdl_redlock_release_begin(). RDL_E_SYSTEM, RDL_E_FORKED: as of rdl_redlock_acquire()
 */
int rdl_redlock_release(struct rdl_redlock *r, const struct rdl_platform *platform);

/**
 * Waits until the lock is idle: call it before the program exits.
 *
 * It reads first, then waits until pending releases were sent and answered, and counts all replies. Blocks
 * until until_ms at most, and ignores wake-ups from outside.
 *
 * @param r         the lock
 * @param platform  clock and polling; not needed after the call
 * @param until_ms  when to stop waiting, an absolute time in ms
 * @return RDL_OK: idle (rdl_redlock_is_idle()). RDL_E_TIMEOUT: not idle by until_ms. Or an error of
 *         platform->poll
 */
int rdl_redlock_drain(struct rdl_redlock *r, const struct rdl_platform *platform, uint64_t until_ms);

/* ---------------------------------------------------------------- renewal.c */

/**
 * The renewal timer: says when to renew a lease, when to stop the work, and when the lease is lost.
 *
 * It is a pure state machine: it sends nothing and reads no clock, and you do the renewing. The work must
 * stop grace_ms before the lease ends. The timer renews when a third of the ttl has passed since
 * rdl_renewal_renewed(), or half of the time until then if that is sooner (a late reply, a long grace). After
 * a failed renewal it retries when a twentieth of that time has passed. All zero is a lease that is not held.
 */
struct rdl_renewal {
    uint64_t renew_ms; /**< when to renew, an absolute time in ms */
    uint64_t until_ms; /**< when the lease ends, an absolute time in ms */
    uint32_t ttl_ms;   /**< the ttl of the lease, in ms */
    uint32_t grace_ms; /**< how long before its end the work stops, in ms */
};

/** What the renewal timer wants you to do. */
enum rdl_renewal_action {
    RDL_RENEWAL_SLEEP, /**< nothing yet */
    RDL_RENEWAL_RENEW, /**< extend the lease now */
    RDL_RENEWAL_STOP,  /**< stop the work now: the lease ends within grace_ms */
    RDL_RENEWAL_LOST   /**< the lease has ended; work that still goes on is not protected */
};

/**
 * Starts the timer: the lease was just acquired or renewed.
 *
 * Choose grace_ms no shorter than the work may take to stop. If the thread that works also extends with a
 * blocking call, add the longest time of that call: an attempt, or two for a lock on N servers
 * (rdl_redlock_extend()). A grace of half the ttl or more leaves little time to renew.
 *
 * @param k         the timer, yours; it needs no other set-up
 * @param ttl_ms    the ttl of the lease, in ms
 * @param grace_ms  how long before its end the work must stop, in ms; 0: at its end, which is too late for
 *                  work that takes time to stop. If no more than this is left, it must stop at once
 * @param until_ms  when the lease ends (rdl_redlock_until_ms(), rdl_lock_until_ms()); 0: it is lost
 * @param now_ms    the time in ms
 */
void rdl_renewal_renewed(struct rdl_renewal *k, uint32_t ttl_ms, uint32_t grace_ms, uint64_t until_ms,
                         uint64_t now_ms);

/**
 * Schedules a retry: a renewal failed, but the lease is not lost (RDL_UNKNOWN, an error).
 *
 * @param k       the timer, started
 * @param now_ms  the time in ms
 */
void rdl_renewal_failed(struct rdl_renewal *k, uint64_t now_ms);

/**
 * Returns what to do now.
 *
 * @param k       the timer
 * @param now_ms  the time in ms
 * @param at_ms   receives when to call it again, an absolute time in ms, with RDL_RENEWAL_SLEEP; with
 *                RDL_RENEWAL_STOP, when the lease ends
 * @return RDL_RENEWAL_SLEEP: wait until *at_ms.
 *         RDL_RENEWAL_RENEW: extend the lease, then call rdl_renewal_renewed() or rdl_renewal_failed().
 *         RDL_RENEWAL_STOP: no more than grace_ms is left. Stop the work, then release the lock. No renewal
 *         is due any more. If one still succeeds, call rdl_renewal_renewed(): then the work may continue.
 *         RDL_RENEWAL_LOST: the lease has ended. With a grace of 0, no RDL_RENEWAL_STOP comes before.
 */
enum rdl_renewal_action rdl_renewal_next(const struct rdl_renewal *k, uint64_t now_ms, uint64_t *at_ms);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
