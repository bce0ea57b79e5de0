/* SPDX-License-Identifier: MIT */
/**
 * @file
 * @brief easy.h - a lock in four calls, on one server or on a majority of up to seven.
 *
 *     static struct rdl_easy lock;
 *
 *     if (rdl_easy_open(&lock, "redis://a redis://b redis://c", "nightly", NULL) < 0 ||
 *         rdl_easy_acquire(&lock, 5000) < 0) { // wait for up to 5 s
 *         fprintf(stderr, "%s\n", rdl_easy_error(&lock));
 *         rdl_easy_close(&lock);
 *         return 1;
 *     }
 *     while (work_left() && rdl_easy_remaining_ms(&lock) > 1000)
 *         do_some();
 *     rdl_easy_release(&lock);
 *     rdl_easy_close(&lock);
 *
 * redlock/examples/easy.c is the whole program. It is for POSIX hosts: struct rdl_easy contains the sockets,
 * buffers and options that redlock.h expects from its user. Only programs that include this header link it.
 *
 * Errors are negative. RDL_OK and numbers above 0 are successes (resp_results.h).
 *
 * A lock is a lease: it ends after its ttl (30 s, or ttl_ms of the options), whatever the program does. So
 * ask rdl_easy_remaining_ms() before each piece of work, and call rdl_easy_extend() in time.
 * rdl_easy_start_thread() (easy_thread.h) renews in a thread. You may acquire and release the same structure
 * many times. In redis-cli, the key is the lock's name.
 *
 * Restart guard: a new server is refused at first. A server may have lost locks in a restart, so its vote
 * does not count until 31 s after its start (max_ttl_ms and 1 s). A majority of all servers is still needed.
 * If a server is new or loses nothing in a restart, set RDL_EASY_NO_RESTART_GUARD.
 *
 * Time: an attempt lasts for a twentieth of the ttl, up to 250 ms, or three round trips if that is longer.
 * The calls block at most:
 *
 *     rdl_easy_acquire  wait_ms and an attempt; without wait_ms 2 s to connect, and an attempt. With
 *                       RDL_EASY_FENCE one more attempt
 *     rdl_easy_extend   an attempt, or two if keys that were lost are put back
 *     rdl_easy_release  an attempt, and up to 2 s to connect again. With rdl_easy_start_thread() two
 *                       more attempts, because the thread finishes its renewal first
 *     rdl_easy_close    the same, and an attempt
 *
 * Only the system's resolver has no such limit: rdl_easy_open() and rdl_easy_acquire() may call it
 * (rdl_posix_resolve()), the others never do. A signal does not end a call, but RDL_EASY_WAKE_FD can.
 *
 * Two locks at the same time: use a struct rdl_easy for each, and take them in the same order everywhere. The
 * structures do not share connections. For many locks over the same connections use redlock.h.
 *
 * To test a program without Redis, start redlock-standin (make install-standin), and set
 * RDL_EASY_NO_RESTART_GUARD.
 *
 * One thread at a time uses a struct rdl_easy. Only rdl_easy_remaining_ms() and rdl_easy_fence() may be
 * called by any thread, at any time from rdl_easy_open() to rdl_easy_close().
 *
 * A struct rdl_easy that is all zero, such as a static one, is not open. rdl_easy_close() then does nothing,
 * and the calls that can fail return RDL_E_CONFIG.
 *
 * A forked child must not use its parent's structure: it opens one of its own. rdl_easy_close() in the child
 * closes its copies of the sockets, and releases nothing. The sockets are closed on exec.
 */
#ifndef RDL_EASY_H
#define RDL_EASY_H

#include "lock/lock_hint.h"
#include "lock/lock_io.h"
#include "net/net_credentials.h"
#include "net/net_stream.h"
#include "redlock/redlock_owner.h"

/** @addtogroup libredlock_easy
 * @{ */

#ifdef __cplusplus
extern "C" {
#endif

/** Limits and defaults. */
enum {
    RDL_EASY_RETRY_MS = 50,                 /**< bound of the first pause between attempts, in ms */
    RDL_EASY_STREAMS = RDL_SERVERS_MAX + 1, /**< connections of a lock: servers, and the wake hint */
    RDL_EASY_ERROR_MAX = 1024               /**< bytes of the text of rdl_easy_error(), with its NUL */
};

/**
 * Flags of struct rdl_easy_options.
 *
 * All clients of a lock must agree on the first three flags, and on max_ttl_ms. The options of
 * `redlock run` are --restart-guard=off, --canary, --fence, --wake-hint and --max-ttl.
 */
enum rdl_easy_flags {
    RDL_EASY_NO_RESTART_GUARD = 1, /**< servers count at once: they are new or lose nothing in a restart */
    RDL_EASY_CANARY = 2,           /**< detect lost data by a key on each server (struct rdl_canary) */
    RDL_EASY_FENCE = 4,            /**< each lock gets a fencing token (rdl_easy_fence()) */
    RDL_EASY_WAKE_HINT = 8,        /**< a release wakes a waiting client (struct rdl_hint) */
    RDL_EASY_RESOLVE_ONCE = 16,    /**< only rdl_easy_open() resolves host names, never rdl_easy_acquire() */
    RDL_EASY_RELEASE_AT_ONCE = 32, /**< rdl_easy_release() does not wait for the replies */
    RDL_EASY_WAKE_FD = 64          /**< wake_fd of the options ends a rdl_easy_acquire() */
};

struct rdl_easy_sentinel;

/**
 * Options of rdl_easy_open(), which copies them. A member that is 0 has its default.
 *
 * What the pointers point to must stay valid, and wake_fd open, until rdl_easy_close() has returned.
 */
struct rdl_easy_options {
    /** For how long the lock is acquired, in ms, 20 to max_ttl_ms; 0: 30 s, or max_ttl_ms if shorter. */
    uint32_t ttl_ms;

    /**
     * The longest ttl of any client of these servers, in ms, 20 to RDL_TTL_MAX; 0: 30 s.
     *
     * The restart guard waits for this time and 1 s after a server's start.
     */
    uint32_t max_ttl_ms;

    unsigned flags; /**< bits of enum rdl_easy_flags */

    /**
     * With RDL_EASY_WAKE_FD: a descriptor, such as a self-pipe for signals. While it is readable,
     * rdl_easy_acquire() ends with RDL_E_INTERRUPTED; no other call does. Nothing reads from it or closes it.
     */
    int wake_fd;

    const char *user;     /**< for all servers, NUL-terminated; NULL: use the user in each URL */
    const char *password; /**< likewise */

    /**
     * For passwords that expire, such as tokens of a cloud: a function that gives user and password before
     * each login (net_credentials.h). NULL: none.
     *
     * The calls of the lock call it for each connection, and so does the thread of rdl_easy_start_thread().
     * Two threads never call it at once for one lock.
     */
    rdl_credentials_fn *credentials;
    void *credentials_ctx; /**< passed to it */

    /**
     * Functions for TLS, of the servers whose URLs begin with rediss:// or valkeys://.
     *
     * The stream speaks TLS over rdl_posix_stream, as in lock/examples/tls_openssl.c
     * (redlock/examples/easy_tls.c is a whole program). The certificate must name the host of the URL, which
     * is in c->cfg->endpoint->host.
     */
    const struct rdl_stream_ops *stream;

    /** RDL_EASY_STREAMS objects, and one for each group: each the ctx of one connection's functions. */
    void *stream_ctxs;
    size_t stream_ctx_size; /**< the size of such an object, in bytes */

    /**
     * The owner, such as "web-3:4711": a label in the lock's value, by which people see who holds the lock. 1
     * to RDL_OWNER_MAX letters, digits and _@%+=:./- bytes; NULL or "": none. It gives no right to the lock.
     */
    const char *owner;

    /** Sentinel groups among the servers (easy_sentinel.h); NULL: none. */
    struct rdl_easy_sentinel *sentinel;
};

/** @cond private */
struct rdl_easy_thread; /* easy_thread.h */

/* The lease as any thread may read it. Each member is atomic: on some machines no larger number is. */
struct rdl_easy_lease {
    uint32_t until_ms[2]; /* when the work must stop, the lower half first; 0: not held */
    uint32_t fence[2];
    uint32_t process; /* the mark of the process whose thread renews the lock; 0: no thread does */
};
/** @endcond */

/**
 * A lock with everything that it needs: 15 KB. Its members are private.
 *
 * Make it static, or allocate it: all zero is "not open". Do not move or copy it while it is open.
 */
struct rdl_easy {
    /** @cond private */
    struct rdl_redlock lock;
    struct rdl_redlock_options opt;
    struct rdl_owner owner;
    struct rdl_posix posix;
    struct rdl_platform sockets;
    struct rdl_platform platform; /* the same, and it resolves names between the attempts of an acquire */
    struct rdl_server servers[RDL_SERVERS_MAX];
    struct rdl_posix_conn conns[RDL_SERVERS_MAX];
    struct rdl_canary canaries[RDL_SERVERS_MAX];
    struct rdl_hint hint;
    struct rdl_posix_conn hint_conn;
    struct rdl_credentials credentials[RDL_EASY_STREAMS];
    uint64_t resolved_ms;                    /* when names were last resolved */
    const char *unresolved[RDL_SERVERS_MAX]; /* why the host name has no address; NULL: it has one */
    uint8_t is_name[RDL_SERVERS_MAX];        /* the URL has a host name */
    uint8_t is_tls[RDL_SERVERS_MAX];         /* the URL begins with rediss:// or valkeys:// */
    uint8_t n;
    uint8_t name_len;
    struct rdl_easy_options options;
    void (*end_thread)(
        struct rdl_easy_thread *t); /* set by rdl_easy_start_thread(), so that easy.c links no threads */
    struct rdl_easy_thread *thread; /* renews this lease; NULL: none does */
    struct rdl_easy_lease leases[2];
    uint32_t lease_turn; /* its last bit: which of the two is the current one */
    int opened;          /* the result of rdl_easy_open(); n is 0 if it is RDL_OK and the lock is not open */
    char name[RDL_NAME_MAX + 1];
    char error[RDL_EASY_ERROR_MAX];
    /** @endcond */
};

/**
 * Sets up a lock, not held. Connects to no server yet.
 *
 * Blocks for as long as the system needs to resolve the host names. A name that cannot be resolved now counts
 * as a server that is down; rdl_easy_acquire() tries again, even while it waits. After an error nothing has
 * to be closed.
 *
 * A URL is redis://[[user]:password@]host[:port][/db] or unix://[[user]:password@]/path[?db=N]. valkey:// is
 * the same as redis://. rediss:// and valkeys:// are for TLS, and need a stream in the options. The port is
 * 6379 if it is left out. Write %40 for an @ in a password, and so on, or set password in the options.
 * redis-sentinel://host1,host2/NAME is a Sentinel group (easy_sentinel.h). All clients list the same servers,
 * in the same order. An odd number is best: with two servers, both must be up.
 *
 * @param e        the lock; whatever it contained is overwritten, so close an open one first
 * @param urls     1 to RDL_SERVERS_MAX URLs, separated by spaces; copied
 * @param name     the lock's name, which is also its key, 1 to RDL_NAME_MAX bytes; copied
 * @param options  copied; NULL: the defaults
 * @return RDL_OK, or an error, which rdl_easy_acquire() returns too; rdl_easy_error() says what is wrong.
 *         RDL_E_CONFIG: urls is NULL or has no URL, or too many, or the owner is invalid. RDL_E_URL,
 *         RDL_E_SPACE: a URL is invalid or too long. RDL_E_TLS: a URL requests TLS, and the options have no
 *         stream. RDL_E_NAME: the name is empty, too long, or "rdl:canary". RDL_E_TTL: ttl_ms or max_ttl_ms
 *         is out of range.
 */
int rdl_easy_open(struct rdl_easy *e, const char *urls, const char *name,
                  const struct rdl_easy_options *options);

/**
 * Acquires the lock, and waits while another client holds it.
 *
 * The top of this file says for how long it blocks. It first resolves the host
 * names of servers that could not be reached before. Between attempts it does so again, once a second at most
 * and not after wait_ms (RDL_EASY_RESOLVE_ONCE prevents both). Servers that have just started do not count
 * yet. If waiting cannot give a majority, it does not wait: it returns RDL_E_QUARANTINE.
 *
 * You need not release a lease that has expired or is lost; its thread (rdl_easy_start_thread()) is ended. An
 * adopted lock that was not confirmed by rdl_easy_extend() is released.
 *
 * @param e        the lock
 * @param wait_ms  for how long to retry, in ms; 0: one attempt; RDL_WAIT_FOREVER: no limit
 * @return RDL_OK: held. Otherwise it is not, and rdl_easy_error() says why.
 *         RDL_BUSY: another client holds it. RDL_NO_QUORUM: no majority of the servers gave a useful reply.
 *         RDL_E_QUARANTINE: too few servers count now.
 *         RDL_E_INTERRUPTED: wake_fd of the options was readable before the lock was held.
 *         RDL_E_HELD: this structure holds it already; extend or release it.
 *         Or an error of rdl_easy_open() or rdl_redlock_acquire().
 */
int rdl_easy_acquire(struct rdl_easy *e, uint32_t wait_ms);

/**
 * Extends the lease: it then ends ttl_ms from now, and never earlier than before.
 *
 * Call it when a third of the ttl has passed. If it fails and rdl_easy_remaining_ms() is above 0, call it
 * again soon. It never takes an expired lock again. The top of this file says for how long it blocks.
 *
 * @param e       the lock, held or adopted
 * @param ttl_ms  in ms, 20 to max_ttl_ms of the options; 0: their ttl_ms. A shorter ttl also shortens the
 *                attempts
 * @return 0 or more: held. Otherwise:
 *         RDL_LOST, RDL_E_GAP: the lock is lost, or was not held.
 *         RDL_UNKNOWN: no majority replied in time; the lease lasts as long as before.
 *         RDL_E_TTL: ttl_ms is out of range; nothing has changed.
 *         RDL_E_HELD: a thread renews it (rdl_easy_start_thread()); nothing was done.
 */
int rdl_easy_extend(struct rdl_easy *e, uint32_t ttl_ms);

/**
 * Releases the lock; also an expired one. It is not held afterwards, whatever the result is.
 *
 * The top of this file says for how long it blocks. With RDL_EASY_RELEASE_AT_ONCE it sends the releases and
 * returns RDL_OK without waiting for the replies. The next call of the lock reads them. Before the release is
 * sent, rdl_easy_remaining_ms() and rdl_easy_fence() are 0 in every thread.
 *
 * @param e  the lock
 * @return RDL_OK: released.
 *         RDL_EXPIRED: the lease had ended before. RDL_LOST: another client holds the lock by now. In both
 *         cases the work may have run without the lock for a time.
 *         RDL_UNKNOWN: too few replies; the key disappears with its ttl at the latest.
 *         Or an error of rdl_redlock_release().
 */
int rdl_easy_release(struct rdl_easy *e);

/**
 * Releases the lock if it is held, and closes all connections.
 *
 * Blocks until all releases are answered, as the top of this file says. Call it before the program ends, even
 * after rdl_easy_acquire() failed: single servers may have granted the lock. Without this call, such keys may
 * last until their ttl is over.
 *
 * @param e  the lock, which may be opened again afterwards; if it is not open, this call does nothing
 */
void rdl_easy_close(struct rdl_easy *e);

/**
 * Returns for how long the work may go on: the lock is certainly held until then, by this host's clock.
 *
 * Any thread may call it. Never blocks. With rdl_easy_start_thread() the result is without grace_ms: stop at
 * 0.
 *
 * @param e  the lock
 * @return the remaining time in ms; 0: not held, expired, or adopted and not extended yet
 */
uint32_t rdl_easy_remaining_ms(const struct rdl_easy *e);

/**
 * Returns the fencing token of the lease (RDL_EASY_FENCE): pass it to the resource with each write. Any
 * thread may call it. Never blocks.
 *
 * @param e  the lock
 * @return the token, 1 or more; 0: the lock has none (rdl_redlock_fence())
 */
uint64_t rdl_easy_fence(const struct rdl_easy *e);

/**
 * Returns why the last call failed: what happened, at which server, why, and what to do.
 *
 * For example: lock "nightly": 2 of 3 servers gave no useful reply (10.0.0.1:6379: cannot connect: Connection
 * refused; b:6379: timed out). Check that they run and can be reached.
 *
 * The text has no password and no control bytes. Never blocks.
 *
 * @param e  the lock
 * @return the text, valid until the next call that can fail; "" if the last one returned 0 or more
 */
const char *rdl_easy_error(const struct rdl_easy *e);

/**
 * Writes the lock's token, to pass the lock on to another process (rdl_easy_adopt(), $REDLOCK_TOKEN).
 *
 * Afterwards do not extend, release or close it here: let the process exit. That ends a thread that renews
 * the lock, and releases nothing. Only then may the other process extend the lock. Never blocks.
 *
 * @param e    the lock, held
 * @param out  receives the token as text; RDL_TOKEN_TEXT_MAX bytes
 */
void rdl_easy_token(const struct rdl_easy *e, char out[RDL_TOKEN_TEXT_MAX]);

/**
 * Adopts a lock that another process acquired. Confirm it with rdl_easy_extend(), or release it.
 *
 * The other process must not extend or release it any more. rdl_easy_acquire() would release the adopted
 * lock. Never blocks.
 *
 * @param e      the lock, opened with the same servers and name; neither held nor adopted
 * @param token  the text that rdl_easy_token() wrote, NUL-terminated
 * @return RDL_OK. RDL_E_TOKEN: token is not valid. RDL_E_HELD: the lock is held or adopted, or it is lost and
 *         its thread (rdl_easy_start_thread()) was not ended. Or the error of rdl_easy_open(). After an error
 *         nothing has changed.
 */
int rdl_easy_adopt(struct rdl_easy *e, const char *token);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
