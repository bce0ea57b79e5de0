/* SPDX-License-Identifier: MIT */
/*
 * net.h - one connection to one server, as byte queues and a state.
 *
 * A conn (struct rdl_conn) never touches a socket. It says what it wants and until when (pull):
 *
 *     wants     open me, write for me, read for me, close me
 *     tx        bytes to send            tx_done   so many were sent
 *     rx        bytes that were received
 *     opened    the transport is there   closed    the transport is gone
 *
 * Above it, locks queue requests. Many locks share one conn: requests are pipelined, replies are
 * matched by order. Records of requests stand in a queue that the caller supplies; a release that was
 * queued survives the lock that queued it and the connection it was to go over.
 *
 * Under it stands a driver: net_posix.c for sockets, or your own (a UART, TLS, a simulator).
 */
#ifndef RDL_NET_H
#define RDL_NET_H

#include "resp/resp.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RDL_E_URL = -10,         /* not a URL we understand, or not a numeric address where one is needed */
    RDL_E_CONNECT = -11,     /* the server could not be reached: refused, no route, no such socket */
    RDL_E_CLOSED = -12,      /* the connection ended before the reply */
    RDL_E_TIMEOUT = -13,     /* timed out: no reply in time */
    RDL_E_UNEXPECTED = -14,  /* a reply nobody asked for, or of a kind that cannot be */
    RDL_E_SYSTEM = -15,      /* a system call failed: descriptors, memory, poll */
    RDL_E_RANDOM = -16,      /* no source of random numbers; there is no weak fallback */
    RDL_E_FULL = -17,        /* no room in the request queue; nothing was queued */
    RDL_E_AUTH = -18,        /* password or user refused, missing, or given where none is set */
    RDL_E_PERM = -19,        /* the user may not run a command, or use a key, that is needed (ACL) */
    RDL_E_READONLY = -20,    /* a replica: its master must be asked */
    RDL_E_LOADING = -21,     /* still loading its data */
    RDL_E_SCRIPTING = -22,   /* the server says BUSY: it is running somebody's script */
    RDL_E_OOM = -23,         /* out of memory (maxmemory) */
    RDL_E_MISCONF = -24,     /* cannot persist, refuses writes */
    RDL_E_CLUSTER = -25,     /* a cluster node, where the key is not to be had: MOVED, ASK, CROSSSLOT */
    RDL_E_CLUSTERDOWN = -26, /* a cluster node that cannot serve the key now: CLUSTERDOWN, TRYAGAIN */
    RDL_E_WRONGTYPE = -27,   /* the key holds a value that is not a lock */
    RDL_E_UNSUPPORTED = -28, /* unknown command or option: the server is too old, or it was renamed */
    RDL_E_DB = -29,          /* the server refused the database number */
    RDL_E_SERVER = -30,      /* any other error reply; its text says which */
    RDL_E_METHODS = -31,     /* the connection's configuration names no methods (rdl_conn_config.methods) */
    RDL_E_QUEUE = -32,       /* the queue is too short for this lock, now and always (RDL_QUEUE_FOR) */
    RDL_E_LOGIN = -33, /* the endpoint needs a login, the configuration names none (rdl_conn_config.login) */
    RDL_E_ABANDONED = -34,   /* the operation ended without this answer and no longer waits for it */
    RDL_E_INTERRUPTED = -35, /* a blocking acquire was ended from outside (rdl_posix.wake_fd) */
    RDL_E_NO_INFO = -36,     /* RDL_E_CLOSED, in a report: before INFO was answered, as some proxies do */
    RDL_E_FORKED = -37,      /* a child after fork may not use its parent's connection, nor its handles */
    RDL_E_GATEWAY = -38      /* a load balancer's HTTP 502, 503 or 504: it has no server now (net_posix.c) */
};

enum {
    RDL_NAME_MAX = 128, /* bytes of a lock's name, at least 1 */
    RDL_TOKEN_LEN = 20, /* bytes of a token; on the wire in hex */
    RDL_TEXT_MAX = 64   /* bytes kept of a reply's text, its NUL included */
};

/* 1: trying again will not help until somebody changes the set-up. For which replies: resp/WIRE.md. */
int rdl_is_permanent(int code);

/* ---------------------------------------------------------------- where and who */

enum rdl_address_family { RDL_UNRESOLVED, RDL_INET, RDL_INET6, RDL_UNIX };

/* One server: address, login, database. Everything it points to is the caller's and outlives the conn. */
struct rdl_endpoint {
    const char *host; /* as written in the URL (a name, a numeric address or a socket's path), for people */
    struct rdl_bytes user;
    struct rdl_bytes password;
    struct rdl_bytes client_name; /* CLIENT SETNAME; len 0: none is sent */
    uint32_t db;
    uint32_t scope; /* IPv6 zone, 0 for none */
    uint16_t port;  /* host byte order */
    uint8_t family; /* enum rdl_address_family */
    uint8_t ip[16]; /* network byte order; 4 bytes for RDL_INET */
};

/*
 * Parse redis://[[user]:password@]host[:port][/db] or unix://[[user]:password@]/path[?db=N].
 * Percent-decoded texts are put into text[0..cap), which *ep then points into; cap of strlen(url) + 1 always
 * suffices. A host that is a name leaves family at RDL_UNRESOLVED: resolving is the caller's business.
 * RDL_OK, RDL_E_URL, RDL_E_SPACE; *why (static text, may be asked with NULL) says what is wrong,
 * without repeating any part of the URL.
 */
int rdl_url_parse(struct rdl_endpoint *ep, const char *url, char *text, size_t cap, const char **why);

/* ---------------------------------------------------------------- the conn */

struct rdl_conn;

/*
 * The audit trace, the library's only callback: every byte sent and received, in order. dir is '>' or
 * '<'. During the login, where the bytes are or may repeat the password, data is NULL and only len is told. A
 * server may repeat it later: whoever writes the bytes down looks for it. Must not call back into the
 * library.
 */
typedef void rdl_trace_fn(void *ctx, const struct rdl_conn *c, char dir, const uint8_t *data, size_t len);

/* Lists of methods for requests that have more than one (net_op.h); lock.h has two of them. */
struct rdl_methods;

/*
 * AUTH, SELECT and CLIENT SETNAME, as far as the endpoint asks for them. A firmware whose servers have no
 * password, and whose locks are in database 0, names none: it links 730 bytes less.
 */
struct rdl_login;
extern const struct rdl_login rdl_login;

/* rdl_server_info.run of a server that reports its uptime and no run_id: its start identifies the run. */
#define RDL_RUN_UNNAMED 1u

/*
 * What a server says of itself (INFO), asked on every new connection (rdl_guard_conn in redlock.h). All but
 * has and uptime_s outlive the connection: they tell whether the server restarted in between.
 */
struct rdl_server_info {
    uint8_t has;        /* enum rdl_info */
    uint8_t is_other;   /* before this run, another one was seen here */
    uint8_t needs_info; /* INFO was answered here once, or the guard of a redlock requires it */
    uint32_t uptime_s;  /* as read */
    uint64_t run;       /* the beginning of its run_id: one start of one server, told from any other */
    uint64_t seen_ms;   /* when we first saw this run */
    uint64_t asked_ms;  /* when INFO last showed an uptime, on our clock */
    int64_t up_ms;      /* when it started by its own account, on our clock; off by one second at most */
};

enum rdl_info {
    RDL_INFO_RUN = 1,
    RDL_INFO_UPTIME = 2,
    RDL_INFO_TIMESTAMP = 4,
    RDL_INFO_CLUSTER = 8,
    RDL_INFO_REPLICA = 16,
    RDL_INFO_BOUNDED = 32, /* maxmemory is set */
    RDL_INFO_EVICTS = 64   /* and when it is reached, keys go: locks among them, if RDL_INFO_BOUNDED too */
};

/* What a conn is made of; borrowed for the conn's life. */
struct rdl_conn_config {
    const struct rdl_endpoint *endpoint;
    const struct rdl_methods *methods; /* needed: without, rdl_conn_submit says RDL_E_METHODS */
    /* NULL: none; if the endpoint has user, password or database, rdl_conn_submit says RDL_E_LOGIN then. */
    const struct rdl_login *login;
    uint64_t *queue;                     /* request records */
    size_t queue_len;                    /* its bytes: RDL_QUEUE_FOR or more */
    uint32_t connect_ms;                 /* connecting and login together; 0 means RDL_CONNECT_MS */
    struct rdl_server_info *server_info; /* zeroed; a redlock needs it. NULL: none */
    char *text;                          /* RDL_TEXT_MAX bytes, for rdl_conn_text. NULL: it keeps none */
    rdl_trace_fn *trace;                 /* or NULL */
    void *trace_ctx;
};

enum { RDL_CONNECT_MS = 2000 };

enum rdl_conn_state {
    RDL_CONN_CLOSED,    /* nobody asked for it, or a pause before trying again */
    RDL_CONN_OPENING,   /* the driver connects */
    RDL_CONN_HANDSHAKE, /* AUTH, SELECT, CLIENT SETNAME and the connection checks are on their way */
    RDL_CONN_READY,     /* requests flow */
    RDL_CONN_STALLED,   /* was READY, but an answer is overdue: it is asked nothing more until a byte comes */
    RDL_CONN_FAILED     /* the driver is to close it; rdl_conn_error says why */
};

/* One request's place for its answer; embedded in the lock that asks. Zero-initialised is idle. */
struct rdl_req {
    char *text; /* of some ops: where a value goes, RDL_PEER_MAX bytes, of a look at a canary RDL_VALUE_MAX;
                   NULL: it is not kept */
    int64_t value;     /* ACQUIRE refused: the key's PTTL (-1 no expiry, -2 gone); else 0 */
    int16_t error;     /* with RDL_ANSWER_ERROR: the RDL_E_ code; with UNKNOWN and UNSENT: why */
    uint8_t answer;    /* enum rdl_answer */
    uint8_t is_queued; /* a record in the conn's queue points here */
    /* sent before, maybe executed (connection ended, unknown error); a release: also set to send it again */
    uint8_t is_again;
    uint8_t is_repeated; /* sent again, behind what was sent since: the server had forgotten the script */
    uint8_t text_len; /* of the value found, cut to RDL_PEER_MAX: then it is too long to be one of a lock */
    uint8_t room;     /* units of 8 bytes that it reserves in the conn's queue, for a release */
};

enum rdl_answer {
    RDL_ANSWER_NONE,    /* not yet */
    RDL_ANSWER_YES,     /* granted, extended, deleted */
    RDL_ANSWER_NO,      /* the key is there and is not ours */
    RDL_ANSWER_ABSENT,  /* extend, release: no such key */
    RDL_ANSWER_ERROR,   /* an error reply: certainly not done */
    RDL_ANSWER_UNKNOWN, /* sent, and the connection ended before the reply: done or not */
    RDL_ANSWER_UNSENT   /* never sent: certainly not done */
};

/* What a request does: an object (net_op.h), so that a static link drops those that nobody names. */
struct rdl_op;

enum {
    RDL_VALUE_MAX = 2 * RDL_TOKEN_LEN, /* bytes of a value: a token in hex */
    RDL_EXTRA_MAX = 40,
    RDL_MULTI_MAX = 8, /* locks in one */
    RDL_PEER_MAX = 24
};

/*
 * How many bytes a conn's queue must have for so many locks, whose names have so many bytes at most: room for
 * two requests of each, what it asks for and the release behind that. A request takes what a record holds (24
 * bytes and two pointers), the name and a value; of a lock with a fence its number too: all that rounded up
 * to a multiple of 8. With several locks as one the name is all their names, and a byte for each. A longer
 * queue lets more be asked while a server does not answer.
 */
#define RDL_RECORD_SIZE                   (24 + 2 * sizeof(void *))
#define RDL_REQUEST_SIZE(texts)           ((RDL_RECORD_SIZE + (texts) + 7) / 8 * 8)
#define RDL_QUEUE_FOR(locks, name)        ((size_t)(locks)*2 * RDL_REQUEST_SIZE((name) + RDL_VALUE_MAX))
#define RDL_QUEUE_FOR_FENCED(locks, name) RDL_QUEUE_FOR(locks, (name) + RDL_EXTRA_MAX)

/* What every new connection is asked first (net_op.h). */
struct rdl_conn_checks;

enum rdl_wants { RDL_WANT_OPEN = 1, RDL_WANT_READ = 2, RDL_WANT_WRITE = 4, RDL_WANT_CLOSE = 8 };

enum { RDL_FAMILIES = 9 }; /* kinds of requests, each with its own methods */

/* Small members come first: on Cortex-M instructions reach the first 32 bytes of a struct more cheaply. */
struct rdl_conn {
    const struct rdl_conn_config *cfg;
    uint8_t state;
    int8_t error;
    uint8_t handshake_sent; /* commands of the login sent, and answered */
    uint8_t handshake_done;
    uint8_t handshake_seen; /* how far it was at mark_ms */
    /* the reply being read */
    uint8_t reply_open;
    uint8_t reply_kind;
    uint8_t reply_len;
    uint8_t reply_items; /* numbers had, of an array */
    /* rdl_conn_tick */
    uint8_t pause;    /* of a closed conn: none, due, running */
    uint8_t failures; /* connections in a row that finished no request */
    uint8_t beat;     /* the beat of the clock that ends pauses, when rdl_conn_tick was called last */
    uint8_t users;    /* layers above number by it what uses this conn; wraps */
    uint8_t refused[RDL_FAMILIES]; /* methods this server refuses; forgotten with the connection */
    uint16_t scripts; /* whose text was written on this connection, a bit each: by EVALSHA from then on */
    /* the queue's records: [base, head) paused, [head, next_to_send) sent, [next_to_send, tail) unsent */
    uint32_t base;
    uint32_t head;
    uint32_t next_to_send;
    uint32_t tail;
    uint32_t reserved; /* bytes kept free for releases: the room of all rdl_reqs */
    uint32_t replies;  /* replies received in all; its growth is progress */
    uint32_t tx_sent;  /* bytes sent of what comes next: the login's command, or the record at next_to_send */
    const uint8_t *tx; /* the chunk that was filled last; the trace shows what of it was sent */
    /* the longest that anybody waits for an answer; 0: nobody minds; -n: it was n over the last connection */
    int32_t reply_timeout_ms;
    uint32_t hurry_ms; /* how long a lease in danger waits, whatever others have asked; 0: none is */
    /* the longest round trip of this connection's login, from the connect on; 0: not known */
    uint32_t rtt_ms;
    uint32_t mark_ms; /* the last progress of the login; the clock that ends pauses begins there */
    const struct rdl_conn_checks *checks; /* NULL: none */
    struct rdl_resp parser;
    int64_t reply_value; /* the number; of an array: the first in it */
    int64_t reply_second;
    /* closed: try again then; opening: give up; READY: silent, 0: none waits; SILENT: not ended before */
    uint64_t retry_ms;
    uint32_t seed;
    /* the driver's own */
    int fd;
    int sys_error;   /* net_posix.c: errno of what ended the connection; below 1: it was not the system */
    void *transport; /* net_posix.c: the number of the process that opened its first socket */
    char reply[RDL_TEXT_MAX];
};

/* Set up a conn, closed. cfg is borrowed. */
int rdl_conn_init(struct rdl_conn *c, const struct rdl_conn_config *cfg);

/* Where the conn stands now. */
inline enum rdl_conn_state rdl_conn_state(const struct rdl_conn *c)
{
    return (enum rdl_conn_state)c->state;
}
/* Why the conn last failed, or is SILENT, or RDL_OK; stays until it is READY again. */
inline int rdl_conn_error(const struct rdl_conn *c)
{
    return c->error;
}
/*
 * The text of the server's last error reply; "" if there was none, or if rdl_conn_config.text is NULL. Valid
 * until the conn's next step. With rdl_guard_conn without the hash that Redis before 7.0 puts before the
 * reason why a script failed.
 */
const char *rdl_conn_text(const struct rdl_conn *c);
/* Nothing queued, nothing unanswered, nothing unsent. */
int rdl_conn_is_idle(const struct rdl_conn *c);
/* ---------------------------------------------------------------- time */

/*
 * Time as an argument: open the conn if it is closed and no pause is due, end a connect that takes
 * longer than connect_ms, drop releases that are no longer needed, see whether it is silent. Call it whenever
 * the conn is wanted, and behind rdl_conn_submit: the time of an answer is counted from there. Returns when
 * to call it again at the latest (UINT64_MAX: nothing to wait for).
 *
 * A turn of a loop reads what has come, takes the time, once, and steps. Who was held up and looks before he
 * reads loses no answer: the look that finds one overdue makes the conn SILENT, and none with the same now_ms
 * ends it. Before a later one the driver must have had its turn.
 */
uint64_t rdl_conn_tick(struct rdl_conn *c, uint64_t now_ms);

/* ---------------------------------------------------------------- for drivers (PORTING.md) */

/* What the driver is to do now: bits of enum rdl_wants. OPEN stays until opened or closed is told. */
unsigned rdl_conn_wants(const struct rdl_conn *c);

/*
 * Put the next bytes to send into buf[0..cap), a chunk of any size: one byte will do, cap of 1 or more.
 * Returns how many (0: nothing now). Behind it, before anything else is called, tx_done says how many of them
 * the transport took; those it did not take come again. Without tx_done none was taken. The chunk is the
 * driver's again then.
 *
 * What was once put counts as sent. A request that this server supports in no form fails here and puts
 * nothing; check rdl_conn_wants again before treating 0 as "idle".
 */
size_t rdl_conn_tx(struct rdl_conn *c, uint8_t *buf, size_t cap);
/* Of the chunk that rdl_conn_tx just filled n bytes were taken: 0 to as many as it returned. */
void rdl_conn_tx_done(struct rdl_conn *c, size_t n);

/*
 * The next bytes received, in a piece of any size: one at a time will do. All of them are consumed; data is
 * borrowed for the call.
 */
void rdl_conn_rx(struct rdl_conn *c, const uint8_t *data, size_t n);

/*
 * Replies are matched by order, and the answer to a SET is +OK: a byte too few or too many is a lock that
 * nobody granted. So after `opened` no byte of an earlier connection may come, and `closed` must be told as
 * soon as a byte may have been lost, in either direction. Where the transport cannot know (a serial bridge, a
 * modem that connects again by itself) the driver must find out before it tells `opened`, e.g. by an ECHO of
 * a text that it never sent before, and drop all up to its answer.
 */
void rdl_conn_opened(struct rdl_conn *c);
/* The transport is gone, or never came: RDL_E_CONNECT, RDL_E_CLOSED, RDL_E_SYSTEM, ... (negative). */
void rdl_conn_closed(struct rdl_conn *c, int error);

/* ---------------------------------------------------------------- what the blocking wrappers stand on */

struct rdl_platform {
    /*
     * Do what the conns want, once, waiting until until_ms at most (UINT64_MAX: no limit). Returns when
     * something was done for `need` of them (1 to n; a driver may return after the first), at until_ms, or
     * early for no reason (a signal). can_wake: 1 if what wakes the driver from outside (rdl_posix.wake_fd)
     * ends the wait, too: RDL_E_INTERRUPTED; a driver that nothing wakes ignores it. RDL_OK, or an error,
     * which ends the operation: RDL_E_SYSTEM, RDL_E_INTERRUPTED, RDL_E_FORKED.
     */
    int (*poll)(void *ctx, struct rdl_conn *const *conns, size_t n, uint64_t until_ms, size_t need,
                int can_wake);
    uint64_t (*now_ms)(void *ctx);
    /*
     * Fill buf with bytes that no other call gives, on any host or ever again: RDL_OK or RDL_E_RANDOM.
     * Unique is what is needed, not secret. A board without a random source puts together its serial number,
     * a counter of boots (stored before it is used) and a count of these calls. Where that cannot be had,
     * RDL_E_RANDOM: bytes that may come twice, as rand() has them from a clock, give one lock to two.
     */
    int (*random)(void *ctx, void *buf, size_t len);
    void *ctx;
};

/* The time on the platform's clock, in ms. Never blocks. */
inline uint64_t rdl_now(const struct rdl_platform *platform)
{
    return platform->now_ms(platform->ctx);
}

/* ---------------------------------------------------------------- net_posix.c */

enum { RDL_POSIX_CONNS_MAX = 64 }; /* what poll takes at once; more is RDL_E_SYSTEM */

/* The driver for sockets: rdl_posix_init, then set wake_fd if you have one. */
struct rdl_posix {
    /*
     * While it is readable (a self-pipe for signals) a poll with can_wake returns RDL_E_INTERRUPTED, and with
     * it a blocking acquire. Nothing is read from it. -1: none.
     */
    int wake_fd;
};

/* Set up both, without a wake_fd; *platform refers to *p from then on. Never fails. */
int rdl_posix_init(struct rdl_posix *p, struct rdl_platform *platform);

/*
 * Without rdl_platform, for an event loop of yours: watch rdl_posix_fd (-1: no socket) for rdl_posix_events
 * (POLLIN, POLLOUT); call rdl_posix_ready with what poll reported, and with 0 before every poll: opening and
 * closing are not signalled by an event. A conn that is OPENING and has no socket waits for room in the queue
 * of a unix socket: call rdl_posix_ready again within some ms. Never blocks. In a child after fork
 * rdl_posix_ready closes the child's copy of the descriptor and ends the conn with RDL_E_FORKED, each time.
 */
int rdl_posix_fd(const struct rdl_conn *c);
/* What to watch it for now: POLLIN, POLLOUT, both or neither. */
short rdl_posix_events(const struct rdl_conn *c);
/*
 * A conn that wants OPEN has a connection that you made, instead of one to its endpoint: before the poll, or
 * the ready, that would connect it there. fd is a connected stream socket, one end of a socketpair say, whose
 * other end a program has that speaks TLS. It is the conn's from then on, set up as one that the driver
 * opened (close-on-exec, without a signal) and closed with it; at once if the conn does not want OPEN. Any
 * other kind of descriptor ends the connection with the first byte. Never blocks.
 */
void rdl_posix_opened(struct rdl_conn *c, int fd);
/* Open, close, send and receive as far as revents says; 0: only what needs no socket to be ready. */
void rdl_posix_ready(struct rdl_conn *c, short revents);
/*
 * The system's own reason (errno) why the conn has no socket: refused, no such file, permission denied, ...;
 * 0: there was none, or it has one again.
 */
int rdl_posix_errno(const struct rdl_conn *c);
/* CLOCK_BOOTTIME in ms (a lease goes on while the host sleeps), else CLOCK_MONOTONIC. */
uint64_t rdl_posix_now_ms(void);
/* Drawn from the system at each call. RDL_E_RANDOM: it has no source, or, just booted, none yet. */
int rdl_posix_random(void *buf, size_t len);

#ifdef __cplusplus
}
#endif

#endif
