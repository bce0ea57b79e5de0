/* SPDX-License-Identifier: MIT */
/**
 * @file
 * @brief net.h - one connection to one server, as byte queues and a state.
 *
 * A conn (struct rdl_conn) never touches a socket. It reports what it wants and until when, and a driver
 * does it:
 *
 *     wants     open, write, read or close the connection
 *     tx        gets bytes to send         tx_done   reports how many of them were sent
 *     rx        passes on received bytes
 *     opened    the transport is ready     closed    the transport has ended
 *
 * Above it, locks queue requests. Many locks share one conn: requests are pipelined, and replies are
 * matched by order. The caller supplies the queue of requests. A queued release outlives both the lock
 * that queued it and the connection it was meant for.
 *
 * A new connection begins with the handshake: the login (AUTH, SELECT, CLIENT SETNAME, as far as the endpoint
 * needs them), then the connection checks, if there are any (rdl_guard_conn() in redlock/redlock.h).
 *
 * Below it is a driver: net_posix.c or net_uring.c for sockets, or your own (a UART, TLS, a simulator).
 * net_stream.h has what all drivers do, so yours is four functions.
 */
#ifndef RDL_NET_H
#define RDL_NET_H

#include "resp/resp.h"

/** @addtogroup libredlock_net
 * @{ */

#ifdef __cplusplus
extern "C" {
#endif

/** Sizes, in bytes. */
enum {
    RDL_TEXT_MAX = 64 /**< bytes kept of a reply's text, its NUL included */
};

/**
 * Returns whether retrying is pointless until the configuration or the server is changed (resp/WIRE.md).
 *
 * @param code  a result of resp/ or net/; any other number is allowed
 * @return 1: the error is permanent; 0: it is not, or the code is no error of these layers
 */
int rdl_is_permanent(int code);

/* ---------------------------------------------------------------- endpoint */

/** Kinds of addresses. */
enum rdl_address_family {
    RDL_UNRESOLVED, /**< a host name without an address yet */
    RDL_INET,       /**< IPv4 */
    RDL_INET6,      /**< IPv6 */
    RDL_UNIX        /**< a unix socket; its path is in `host` */
};

/**
 * One server: address, login, database.
 *
 * The caller owns everything it points to and keeps it valid as long as the conn exists. A conn reads it
 * each time it connects.
 */
struct rdl_endpoint {
    const char *host;          /**< the name, numeric address or socket path from the URL, NUL-terminated */
    struct rdl_bytes user;     /**< for AUTH; len 0: none */
    struct rdl_bytes password; /**< for AUTH; len 0: none */
    struct rdl_bytes client_name; /**< for CLIENT SETNAME; len 0: not sent */
    uint32_t db;                  /**< database number; 0: SELECT is not sent */
    uint32_t scope;               /**< IPv6 zone; 0: none */
    uint16_t port;                /**< TCP port, host byte order */
    uint8_t family;               /**< enum rdl_address_family */
    uint8_t ip[16];               /**< address, network byte order; RDL_INET uses the first 4 bytes */
};

/**
 * Parses redis://[[user]:password@]host[:port][/db] or unix://[[user]:password@]/path[?db=N].
 *
 * A host that is a name leaves `family` at RDL_UNRESOLVED: the caller resolves it. client_name stays empty;
 * set it afterwards if you want one.
 *
 * @param ep    receives the endpoint, which points into text; all zero after an error
 * @param url   the URL, NUL-terminated; not needed after the call
 * @param text  receives the percent-decoded texts; keep it as long as you use *ep
 * @param cap   its size in bytes; strlen(url) + 1 is always enough
 * @param why   NULL, or receives what is wrong: a constant that repeats no part of the URL, or NULL with
 *              RDL_OK
 * @return RDL_OK: *ep is set. RDL_E_URL: the URL is invalid. RDL_E_SPACE: cap is too small.
 */
int rdl_url_parse(struct rdl_endpoint *ep, const char *url, char *text, size_t cap, const char **why);

/* ---------------------------------------------------------------- the conn */

struct rdl_conn;

/**
 * Receives every byte that a conn sends or receives, in order: an audit trace.
 *
 * rdl_conn_tx_done() and rdl_conn_rx() call it. It must not call functions of the library.
 *
 * For AUTH and its reply, which contain or may repeat the password, data is NULL and only len is set. All
 * other bytes are reported. A server may echo the password later, so remove it before you log the bytes.
 *
 * @param ctx   rdl_conn_config.trace_ctx
 * @param c     the connection
 * @param dir   '>' for sent bytes, '<' for received bytes
 * @param data  the bytes, valid during the call; NULL for AUTH and its reply
 * @param len   their number, 1 or more
 */
typedef void rdl_trace_fn(void *ctx, const struct rdl_conn *c, char dir, const uint8_t *data, size_t len);

/** Lists of methods, for requests that have more than one (net_op.h). lock_limits.h has two such lists. */
struct rdl_methods;

/** The functions of a transport (net_stream.h). */
struct rdl_stream_ops;

/** The functions of a login (net_private.h). */
struct rdl_login_ops;

/**
 * The login: sends AUTH, SELECT and CLIENT SETNAME, as far as the endpoint needs them.
 *
 * A firmware whose servers have no password, and whose locks are in database 0, saves 1,100 bytes without it.
 */
extern const struct rdl_login_ops rdl_login;

/** rdl_server_info.run of a server that reports its uptime but no run_id. up_ms identifies the run then. */
#define RDL_RUN_UNNAMED 1u

/**
 * What a server reports about itself (INFO).
 *
 * Each connection of a conn that was set up with rdl_guard_conn() (redlock/redlock.h) requests it. The conn
 * writes it; you may read it. All members but `has` and uptime_s outlive the connection: they show whether
 * the server restarted in between. A run of a server is the time from one start to the next.
 */
struct rdl_server_info {
    uint8_t has;        /**< what this connection reported: bits of enum rdl_info */
    uint8_t is_other;   /**< 1: a different run was seen here before this one */
    uint8_t needs_info; /**< 1: INFO was answered here once, or a redlock's guard requires it */
    uint32_t uptime_s;  /**< the uptime in seconds, as reported */
    uint64_t run;       /**< first 16 digits of its run_id, which identifies the run; or RDL_RUN_UNNAMED */
    uint64_t seen_ms;   /**< when this client first saw this run */
    uint64_t asked_ms;  /**< when INFO last reported an uptime, on our clock */
    int64_t up_ms;      /**< when the server started by its uptime, on our clock; up to 1 s wrong */
};

/** Bits of rdl_server_info.has. */
enum rdl_info {
    RDL_INFO_RUN = 1,       /**< the run is known */
    RDL_INFO_UPTIME = 2,    /**< uptime_s is set */
    RDL_INFO_TIMESTAMP = 4, /**< the times of this connection are set */
    RDL_INFO_CLUSTER = 8,   /**< the server is a cluster node */
    RDL_INFO_REPLICA = 16,  /**< the server is a replica */
    RDL_INFO_BOUNDED = 32,  /**< maxmemory is set */
    RDL_INFO_EVICTS = 64    /**< it evicts keys at maxmemory; locks among them, with RDL_INFO_BOUNDED */
};

/** The configuration of a conn. It and all it points to must stay valid as long as the conn exists. */
struct rdl_conn_config {
    const struct rdl_endpoint *endpoint; /**< the server */
    const struct rdl_methods *methods;   /**< required; without it each request returns RDL_E_CONFIG */
    /** &rdl_login. NULL: none; then each request to an endpoint that needs it returns RDL_E_CONFIG. */
    const struct rdl_login_ops *login;
    uint64_t *queue;     /**< memory for request records; not shared with another conn */
    size_t queue_len;    /**< its bytes: RDL_QUEUE_FOR (lock_limits.h) or more, at most UINT32_MAX / 2 */
    uint32_t connect_ms; /**< timeout for connecting and handshake together, in ms; 0: RDL_CONNECT_MS */
    struct rdl_server_info *server_info; /**< zeroed; required by a redlock. NULL: none */
    char *text;                          /**< RDL_TEXT_MAX bytes for rdl_conn_text(). NULL: no text is kept */
    rdl_trace_fn *trace;                 /**< NULL: none */
    void *trace_ctx;                     /**< passed to trace */
    /** The transport, such as TLS (net_stream.h). NULL: the platform's own, such as sockets. */
    const struct rdl_stream_ops *stream;
    void *stream_ctx; /**< passed to its functions */
};

/** Default timeouts. */
enum {
    RDL_CONNECT_MS = 2000 /**< for connecting and handshake together, in ms */
};

/** States of a conn. */
enum rdl_conn_phase {
    RDL_CONN_CLOSED,    /**< not requested yet, or pausing before a retry */
    RDL_CONN_OPENING,   /**< the driver connects */
    RDL_CONN_HANDSHAKE, /**< the login and the connection checks are under way */
    RDL_CONN_READY,     /**< requests are sent */
    RDL_CONN_STALLED,   /**< was READY, but a reply is overdue: no request but releases until a byte comes */
    RDL_CONN_FAILED     /**< the driver must close it; rdl_conn_error() says why */
};

/**
 * A request's place for its reply, embedded in the lock that sends the request.
 *
 * All zero is idle. While is_queued is 1, a record in the conn's queue points here: do not move or free it.
 */
struct rdl_req {
    char *text; /**< where some operations copy a value that they found (lock_op.h); NULL: it is not kept */
    /**
     * Acquire that was refused: the key's PTTL in ms (-1 no expiry, -2 gone or unknown). Fenced acquire that
     * was granted: the fencing token. Other operations: what their declarations say, or 0.
     */
    int64_t value;
    int16_t error;     /**< RDL_ANSWER_ERROR: the RDL_E_ code; UNKNOWN and UNSENT: why */
    uint8_t answer;    /**< enum rdl_answer */
    uint8_t is_queued; /**< 1: a record in the conn's queue points here */
    /**
     * 1: it may have been executed before, because the connection closed before its reply, or because the
     * reply was an error that no row of resp/WIRE.md names. The caller also sets it for a release that
     * repeats an earlier one.
     */
    uint8_t may_be_second;
    /**
     * 1: it was sent again after a reply, and so after requests that were queued later. The server refused
     * the method or had forgotten the script, or the key changed during WATCH.
     */
    uint8_t was_reordered;
    uint8_t text_len; /**< bytes at text; a value that is longer was cut */
    uint8_t room;     /**< queue room reserved for a release, in units of 8 bytes */
};

/** What became of a request. */
enum rdl_answer {
    RDL_ANSWER_NONE,    /**< no reply yet */
    RDL_ANSWER_YES,     /**< granted, extended or deleted */
    RDL_ANSWER_NO,      /**< the key exists and is not ours */
    RDL_ANSWER_ABSENT,  /**< extend, release: no such key */
    RDL_ANSWER_ERROR,   /**< an error reply: not executed, unless by a proxy, or partly by a script */
    RDL_ANSWER_UNKNOWN, /**< sent, but the connection closed before the reply: executed or not */
    RDL_ANSWER_UNSENT   /**< never sent: certainly not executed */
};

/** What a request does: an object of net_op.h, so that a static link drops those that are not used. */
struct rdl_op;

/** Most bytes of a record in the queue, without its texts. */
#define RDL_RECORD_SIZE (24 + 2 * sizeof(void *))

/**
 * Computes the bytes that one request takes in the queue, a multiple of 8.
 *
 * @param texts  bytes of its name, value and additional argument together
 */
#define RDL_REQUEST_SIZE(texts) ((RDL_RECORD_SIZE + (texts) + 7) / 8 * 8)

/** The connection checks: what a new connection requests after the login (net_op.h). */
struct rdl_conn_checks;

/** What a conn wants from its driver: bits of rdl_conn_wants(). */
enum rdl_wants {
    RDL_WANT_OPEN = 1,  /**< connect to the endpoint; until rdl_conn_opened() or rdl_conn_closed() */
    RDL_WANT_READ = 2,  /**< read, and pass the bytes to rdl_conn_rx() */
    RDL_WANT_WRITE = 4, /**< send the bytes of rdl_conn_tx() */
    RDL_WANT_CLOSE = 8  /**< close the transport */
};

/** Sizes of struct rdl_conn. */
enum {
    RDL_FAMILIES = 9 /**< command families: operations that share what is remembered as refused */
};

/** One connection. Its members are private, except those that belong to the driver. */
struct rdl_conn {
    /** @cond private */
    /* Small members come first: Cortex-M instructions reach the first 32 bytes of a struct more cheaply. */
    const struct rdl_conn_config *cfg;
    uint8_t state;
    int8_t error;
    uint8_t handshake_sent; /* commands of the handshake that were sent, and that were answered */
    uint8_t handshake_done;
    uint8_t handshake_seen; /* its progress at mark_ms */
    uint8_t step_is_bound;  /* 1: the time since mark_ms may contain a pause of the program */
    /* the reply being read */
    uint8_t reply_open;
    uint8_t reply_kind;
    uint8_t reply_len;
    uint8_t reply_items; /* of an array: numbers read so far */
    /* rdl_conn_tick */
    uint8_t waits;                 /* closed: for a pause (net_private.h); else for its stream */
    uint8_t failures;              /* connections in a row that completed no request */
    uint8_t beat;                  /* number of the last multiple of 256 ms since mark_ms; pauses end there */
    uint8_t refused[RDL_FAMILIES]; /* methods that this server refuses; reset with the connection */
    uint8_t is_awaited;            /* 1: an operation waits for the conn */
    uint8_t rtt_is_bound;          /* 1: rtt_ms may contain a pause of the program */
    uint16_t scripts; /* a bit for each script whose text was sent on this connection: from then on EVALSHA */
    int16_t
        send_result; /* net_stream.c: an error of send, after which it is only read; 1: it must read first */
    /* the queue's records: [base, head) paused, [head, next_to_send) sent, [next_to_send, tail) unsent */
    uint32_t base;
    uint32_t head;
    uint32_t next_to_send;
    uint32_t tail;
    uint32_t reserved; /* bytes kept free for releases: the room of all rdl_reqs */
    uint32_t replies;  /* number of replies received; it grows with progress */
    uint32_t tx_sent;  /* bytes sent of the handshake's next command, or of the record at next_to_send */
    const uint8_t *tx; /* the chunk that was filled last; the trace shows the part of it that was sent */
    /* reply timeout in ms, the longest of all waiters; 0: none; -n: it was n on the previous connection */
    int32_t signed_timeout_ms;
    uint32_t lease_timeout_ms; /* reply timeout in ms for a lease in danger, overriding the others; 0: none */
    /* the longest round trip of this connection's connect and handshake, in ms; 0: unknown */
    uint32_t rtt_ms;
    uint32_t mark_ms;                     /* time of the handshake's last progress */
    uint32_t open_ms;                     /* the last tick at which the connection was open or opening */
    const struct rdl_conn_checks *checks; /* NULL: none */
    struct rdl_resp parser;
    int64_t reply_value; /* the number; of an array: its first number */
    /* CLOSED: time of the retry; OPENING: deadline; READY: when the reply is overdue, 0: none is awaited;
       STALLED: not closed before */
    uint64_t timer_ms;
    int64_t reply_second; /* of an array: its second number */
    uint32_t seed;
    /** @endcond */
    int fd;                /**< the driver's own; net_posix.c: the socket, -1: none */
    int16_t sys_error;     /**< the driver's own; net_posix.c: errno that ended the connection; 0: none */
    int16_t is_first_recv; /**< the driver's own; net_posix.c: 1: it is open, and no byte has come */
    void *transport;       /**< the driver's own; net_posix.c: mark of the process that opened its socket */
    /** @cond private */
    char reply[RDL_TEXT_MAX];
    /** @endcond */
};

/**
 * Sets up a conn, closed and with an empty queue.
 *
 * If you call it again, close the transport first, and end the operations of its locks, and the leases of its
 * redlocks: debug builds assert at their next call. Pending releases in the queue are lost. Then set up its
 * redlocks again.
 *
 * @param c    the conn; it holds no resources but the transport of its driver
 * @param cfg  its configuration, which must stay valid as long as the conn exists
 * @return RDL_OK; RDL_E_CONFIG: the configuration lacks what every request needs (rdl_conn_config_fault()).
 *         The conn is set up in any case, and each request returns the same error.
 */
int rdl_conn_init(struct rdl_conn *c, const struct rdl_conn_config *cfg);

/**
 * Says what is wrong with the configuration of a conn, after RDL_E_CONFIG.
 *
 * @param cfg        the configuration
 * @param queue_len  the bytes that its locks need: RDL_QUEUE_FOR (lock_limits.h)
 * @return a constant that names the member, such as "rdl_conn_config.methods is not set"; NULL: no mistake
 */
const char *rdl_conn_config_fault(const struct rdl_conn_config *cfg, size_t queue_len);

/**
 * Returns the state of a conn.
 *
 * @param c  the conn
 * @return the state
 */
inline enum rdl_conn_phase rdl_conn_state(const struct rdl_conn *c)
{
    return (enum rdl_conn_phase)c->state;
}

/**
 * Returns why the conn last failed or stalled.
 *
 * @param c  the conn
 * @return RDL_OK, or a negative error, which stays until the conn is READY again
 */
inline int rdl_conn_error(const struct rdl_conn *c)
{
    return c->error;
}

/**
 * Returns the text of the server's last error reply, or of a transport's last error (RDL_E_TLS).
 *
 * It may repeat the endpoint's password, which the reports of locks leave out (rdl_lock_report(),
 * rdl_easy_error()). With rdl_guard_conn() it lacks the hash that Redis before 7.0 puts before the reason why
 * a script failed.
 *
 * @param c  the conn
 * @return the text, NUL-terminated, valid until the next rdl_conn_tick(), rdl_conn_rx() or rdl_conn_closed();
 *         "" if there was no such error, or if rdl_conn_config.text is NULL
 */
const char *rdl_conn_text(const struct rdl_conn *c);

/**
 * Returns whether a conn has nothing left to do: no request is queued, unsent or unanswered.
 *
 * @param c  the conn
 * @return 1: it is idle, so you may close it without losing a release; 0: it is not
 */
int rdl_conn_is_idle(const struct rdl_conn *c);

/* ---------------------------------------------------------------- time */

/**
 * Runs the timers of a conn.
 *
 * It opens the conn if it is closed and no pause is due. It aborts a connect or handshake that takes longer
 * than connect_ms, and drops releases that are no longer needed. It also checks whether a reply is overdue.
 *
 * Call it whenever you need the conn, and after each rdl_conn_submit() (net_op.h): the reply timeout counts
 * from there.
 *
 * If you call it before you read, you lose nothing: the first call that finds a reply overdue only marks the
 * conn STALLED. Only a call with a later now_ms may close it. Let the driver run before that call.
 *
 * @param c       the conn
 * @param now_ms  the current time in ms
 * @return the time in ms by which to call it again; UINT64_MAX: no timer is running
 */
uint64_t rdl_conn_tick(struct rdl_conn *c, uint64_t now_ms);

/* ---------------------------------------------------------------- for drivers (net/PORTING.md) */

/**
 * Returns what the driver has to do now. Each call of the conn's other functions may change it.
 *
 * @param c  the conn
 * @return bits of enum rdl_wants; 0: nothing
 */
unsigned rdl_conn_wants(const struct rdl_conn *c);

/**
 * Puts the next bytes to send into a buffer.
 *
 * Then report with rdl_conn_tx_done() how many of them the transport took, before you call any other function
 * of the conn. The next call returns the others again; without a report, all of them. If the connection ends,
 * each request of which a byte was put here counts as sent, because it may have reached the server.
 *
 * A request that this server supports in no form fails here and puts nothing. So call rdl_conn_wants() again
 * before you treat 0 as idle. Call it only if rdl_conn_wants() has RDL_WANT_WRITE.
 *
 * @param c    the conn
 * @param buf  receives the bytes; it is yours again after rdl_conn_tx_done()
 * @param cap  its size in bytes, 1 or more; a chunk of any size will do
 * @return the number of bytes, 0 if there is nothing to send now; fewer than cap are all that there are
 */
size_t rdl_conn_tx(struct rdl_conn *c, uint8_t *buf, size_t cap);

/**
 * Reports how many bytes of the last rdl_conn_tx() the transport took, while its buffer is unchanged.
 *
 * @param c  the conn
 * @param n  number of bytes, 0 to the result of rdl_conn_tx()
 */
void rdl_conn_tx_done(struct rdl_conn *c, size_t n);

/**
 * Processes the next received bytes, all of them. Call it only if rdl_conn_wants() has RDL_WANT_READ.
 *
 * @param c     the conn
 * @param data  the bytes, in a piece of any size; they stay yours and are read only during the call
 * @param n     their number
 */
void rdl_conn_rx(struct rdl_conn *c, const uint8_t *data, size_t n);

/**
 * Reports that the transport is ready.
 *
 * From now on no byte of an earlier connection may arrive. Replies are matched by order, so one missing or
 * extra byte can turn into a lock that no server granted. If the transport cannot ensure this (a serial
 * bridge, a modem that reconnects by itself), the driver must: for example, it sends an ECHO with a text
 * that was never sent before, and drops everything up to its reply.
 *
 * Call it once, if rdl_conn_wants() has RDL_WANT_OPEN; otherwise it does nothing.
 *
 * @param c  the conn
 */
void rdl_conn_opened(struct rdl_conn *c);

/**
 * Reports that the transport has ended or could not be opened.
 *
 * Call it also as soon as a byte may have been lost, in either direction. Requests that wait get their
 * result. Pending releases stay queued for the next connection. Call it once for each transport.
 *
 * @param c      the conn
 * @param error  negative: RDL_E_CONNECT, RDL_E_CLOSED, RDL_E_SYSTEM, ...; ignored if the conn has failed
 */
void rdl_conn_closed(struct rdl_conn *c, int error);

/**
 * Keeps a text for rdl_conn_text(), if rdl_conn_config.text has room for it: why the transport failed, before
 * it reports RDL_E_TLS for example.
 *
 * @param c     the conn
 * @param text  NUL-terminated; not needed after the call. RDL_TEXT_MAX - 1 bytes are kept, and those that are
 *              not printable become '?'
 */
void rdl_conn_set_text(struct rdl_conn *c, const char *text);

/* ---------------------------------------------------------------- the platform of the blocking functions */

/** Flags of rdl_platform.poll. */
enum {
    RDL_POLL_CAN_WAKE = 1 /**< a wake-up (rdl_posix.wake_fd) ends the wait, too, with RDL_E_INTERRUPTED */
};

/** What the blocking functions need from the platform. The caller owns it. */
struct rdl_platform {
    /**
     * Does once what the conns want. If there is nothing to do, waits until there is, but not after until_ms.
     *
     * To send is not a reason to return: a driver may send and wait in one call, as net_uring.c does. It
     * returns when a conn was opened, closed, or passed on bytes, or when a request failed instead of being
     * sent. Before it returns, it gives the system all bytes that the conns have put, as far as there is
     * room.
     *
     * It may return after the first conn, or earlier for no reason (a signal). until_ms is an absolute time
     * in ms; UINT64_MAX: no limit. flags is 0 or RDL_POLL_CAN_WAKE, which a driver without wake-ups ignores.
     *
     * Returns RDL_OK, or an error that ends the operation: RDL_E_SYSTEM, RDL_E_INTERRUPTED, RDL_E_FORKED.
     */
    int (*poll)(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, unsigned flags);

    /** Returns the time in ms, from a clock that keeps running while the host sleeps. Never blocks. */
    uint64_t (*now_ms)(void *ctx);

    /**
     * Fills buf with len bytes that no other call returns, on any host, ever. Returns RDL_OK or RDL_E_RANDOM.
     *
     * The bytes must be unique, not secret. A board without a random source combines its serial number, a
     * boot counter (stored before it is used) and a counter of these calls. If it cannot, return
     * RDL_E_RANDOM: bytes that repeat, as those of rand() seeded from a clock, give one lock to two clients.
     */
    int (*random)(void *ctx, void *buf, size_t len);

    void *ctx; /**< passed to all three; it must stay valid as long as they are called */
};

/**
 * Returns the time of the platform's clock.
 *
 * @param platform  the platform
 * @return the time in ms
 */
inline uint64_t rdl_now(const struct rdl_platform *platform)
{
    return platform->now_ms(platform->ctx);
}

/** @} */
/** @addtogroup libredlock_posix
 * @{ */
/* ---------------------------------------------------------------- net_posix.c */

/** Limits of the driver for sockets. */
enum {
    RDL_POSIX_CONNS_MAX = 64 /**< most conns in one poll; more is RDL_E_SYSTEM */
};

/** The driver for sockets. After rdl_posix_init() set wake_fd and timer_fd if you have them. */
struct rdl_posix {
    /**
     * A descriptor, for example a self-pipe for signals; -1: none. While it is readable, a poll with
     * RDL_POLL_CAN_WAKE returns RDL_E_INTERRUPTED, and so does a blocking acquire. The driver never reads
     * from it and never closes it.
     */
    int wake_fd;

    /**
     * A timer of this process, on Linux: timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC); -1: none.
     *
     * poll(2) does not count the time that the host sleeps. So a poll without a timer checks the clock every
     * 100 ms. A poll with a timer sets it when nothing has happened for 100 ms, and then sleeps until
     * something happens. A poll for a single conn that waits without a wake_fd does not use it. The driver
     * never closes it. Use one for each thread and process.
     */
    int timer_fd;
};

/**
 * Sets up the driver for sockets, without a wake_fd and a timer_fd, and a platform that uses it.
 *
 * @param p         the driver; it must stay valid as long as the platform is used
 * @param platform  receives the functions of the driver, and p as its ctx
 */
void rdl_posix_init(struct rdl_posix *p, struct rdl_platform *platform);

/**
 * Returns the socket of a conn, for an event loop of yours that uses no struct rdl_platform.
 *
 * Watch it for rdl_posix_events(), and call rdl_posix_ready() with what poll reported. Call it before every
 * poll: the descriptor may change.
 *
 * @param c  the conn
 * @return the descriptor, which the conn owns: do not close it. It is above 2, unless you gave another one
 *         (rdl_posix_opened()); -1: no socket
 */
int rdl_posix_fd(const struct rdl_conn *c);

/**
 * Returns the events to watch the socket of a conn for. Call it before every poll.
 *
 * @param c  the conn
 * @return POLLIN, POLLOUT, both, or 0 for neither
 */
short rdl_posix_events(const struct rdl_conn *c);

/**
 * Gives a conn a socket that you connected yourself, instead of connecting to its endpoint.
 *
 * For example, fd is one end of a socketpair whose other end belongs to a program that speaks TLS. It must
 * be a connected stream socket. Any other kind of descriptor ends the connection with the first byte.
 *
 * The conn owns fd from now on and closes it with the connection. It sets it up as its own sockets:
 * close-on-exec, and no signal. Call it while the conn wants RDL_WANT_OPEN, before the poll or the
 * rdl_posix_ready() that would connect to the endpoint. In any other state, or in a child after fork, fd is
 * closed at once.
 *
 * @param c   the conn
 * @param fd  the connected socket
 */
void rdl_posix_opened(struct rdl_conn *c, int fd);

/**
 * Opens, closes, sends and receives for a conn, as far as revents allows.
 *
 * Call it with what poll reported, and with 0 before every poll, because no event signals opening and
 * closing. If a conn is OPENING without a socket, the listen backlog of its unix socket is full: call it
 * again within some ms.
 *
 * In a child after fork, each call closes the child's copy of the descriptor and fails the conn with
 * RDL_E_FORKED.
 *
 * @param c        the conn
 * @param revents  what poll reported for its socket; 0: do only what needs no socket to be ready
 */
void rdl_posix_ready(struct rdl_conn *c, short revents);

/**
 * Closes the connection of a conn, if it has one: its socket, or its stream (rdl_conn_config.stream).
 *
 * Requests that were not answered are lost, except pending releases, which wait for the next connection. Wait
 * for them first (rdl_lock_drain(), rdl_redlock_drain()). The conn may be used again: it then opens another
 * connection. Call it before you free a conn.
 *
 * @param c  the conn
 */
void rdl_posix_close(struct rdl_conn *c);

/**
 * Returns the system's reason why a conn has no socket.
 *
 * @param c  the conn
 * @return an errno: refused, no such file, permission denied, ...; 0: none, or the conn has a socket again
 */
int rdl_posix_errno(const struct rdl_conn *c);

/**
 * Returns the time of CLOCK_BOOTTIME, which keeps running while the host sleeps, or of CLOCK_MONOTONIC if the
 * system lacks it.
 *
 * @return the time in ms
 */
uint64_t rdl_posix_now_ms(void);

/**
 * Fills a buffer with random bytes from the system. Never waits for entropy.
 *
 * @param buf  receives the bytes
 * @param len  their number
 * @return RDL_OK. RDL_E_RANDOM: the system has no source, or has none yet because it just booted.
 */
int rdl_posix_random(void *buf, size_t len);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
