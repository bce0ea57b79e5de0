/* SPDX-License-Identifier: MIT */
/*
 * net_op.h - for layers that send requests over a conn: how a request is queued and abandoned, and what an
 * operation is: how its commands are written and what their replies mean. A program that takes locks does not
 * need it.
 */
#ifndef RDL_NET_OP_H
#define RDL_NET_OP_H

#include "net/net.h"
#include "net/net_commands.h"
#include "resp/resp_arithmetic.h"

/* -------------------------------------------------- requests */

/* Most bytes of each text of a request: a record has a byte for the length. */
enum { RDL_ARGUMENT_MAX = 255 };

/* What a request is made of, for rdl_conn_submit. */
struct rdl_command {
    const struct rdl_op *op;
    struct rdl_bytes name;  /* 1..RDL_ARGUMENT_MAX bytes, copied */
    struct rdl_bytes value; /* as on the wire; 0..RDL_ARGUMENT_MAX bytes, copied */
    struct rdl_bytes extra; /* of some operations, else empty; 0..RDL_ARGUMENT_MAX bytes, copied */
    uint64_t until_ms;      /* the key expires by then, and a release still pending is dropped */
    /*
     * Acquire, extend: the ttl to set. Release: the longest that its key may live; 0: not sent again after an
     * error. Other operations: what their declarations say.
     */
    uint32_t ttl_ms;
};

/*
 * Sets the reply timeout, below 2^31 ms. Call it before a request. While replies are awaited, the longest
 * timeout of all calls applies, also to them. When no reply is awaited, or after the connection has closed,
 * the next call replaces the timeout. Without a call no reply is overdue.
 *
 * When the oldest reply is overdue, the conn is STALLED: it takes no request but releases until a byte comes.
 * It is closed with RDL_E_TIMEOUT when the keys of all its unanswered SETs must have expired. Without such a
 * SET a later rdl_conn_tick closes it. The pending releases then stay pending for one more ttl
 * (redlock/DESIGN.md, section 2).
 */
void rdl_conn_set_timeout(struct rdl_conn *c, uint32_t answer_ms);

/* A connection that was quiet for longer may have ended without notice: a blocking call reads first then. */
enum { RDL_QUIET_MS = 20 };

/*
 * Closes a stalled conn early, because waiting would cost a lease. Until a byte comes, the oldest reply is
 * overdue after answer_ms, even if other locks have longer timeouts. A later rdl_conn_tick closes a STALLED
 * conn, even if SETs (of any lock) are unanswered on it. Pending releases stay pending for one ttl, as above.
 */
void rdl_conn_abort_if_stalled(struct rdl_conn *c, uint32_t answer_ms);

/*
 * The same as rdl_conn_tick, for a lease that could not be extended and has left_ms left (0: no lease). A
 * pause before a connection is then a twentieth of that at most, with jitter, and RDL_PAUSE_LEAST_MS at
 * least.
 */
uint64_t rdl_conn_tick_for_lease(struct rdl_conn *c, uint32_t left_ms, uint64_t now_ms);
enum { RDL_PAUSE_LEAST_MS = 10 };

/* Returns the timeout for connecting and handshake together, in ms. */
uint32_t rdl_conn_connect_ms(const struct rdl_conn *c);

/* Ends the pause of a closed conn: what prevented its connection is over. Its queue stays. */
void rdl_conn_end_pause(struct rdl_conn *c);

/* Seeds the reconnect jitter with a value unique to this client. */
inline void rdl_conn_seed(struct rdl_conn *c, uint32_t seed)
{
    c->seed ^= seed;
}

/* Returns the next random number, to spread retries: it is no secret. *seed changes. */
uint32_t rdl_random(uint32_t *seed);
/* Returns a random pause in [1, min(cap_ms, base_ms << tries)] ms. */
/*@ requires \valid(seed);
    assigns *seed;
    ensures 1 <= \result && (\result <= cap_ms || \result == 1);
    ensures tries == 0 ==> \result <= base_ms || \result == 1; */
uint32_t rdl_backoff_ms(uint32_t *seed, uint32_t base_ms, uint32_t cap_ms, unsigned tries);

/*
 * Queues a request. req gets the answer; NULL: no caller waits (a pending release). The connection need not
 * be open: the request is sent when it is READY. A request other than a release needs room for a release
 * after it, and is not taken while the conn is STALLED. Returns RDL_OK, RDL_E_FULL, RDL_E_CONFIG (it will
 * never fit, or the configuration lacks something) or RDL_E_TIMEOUT (STALLED).
 *
 * A release (RDL_SEND_ALWAYS) that meets a temporary error reports that error. It is sent again after a pause
 * with jitter (READONLY: over the next connection) until until_ms. If until_ms is UINT64_MAX, it is repeated
 * for ttl_ms from the first pause on. Meanwhile other requests overtake it, and the conn is not idle.
 *
 * A request that may grant a key (rdl_op.may_grant) reserves the room for the key's release. Whatever the
 * answer, and also if the connection closes, the room stays reserved until rdl_conn_free_room.
 */
int rdl_conn_submit(struct rdl_conn *c, struct rdl_req *req, const struct rdl_command *cmd);

/* Frees the room that req has reserved, if any. A release that is submitted next never gets RDL_E_FULL. */
void rdl_conn_free_room(struct rdl_conn *c, struct rdl_req *req);

/*
 * Returns whether this server has refused every method of op since the connection was opened. RDL_OK: not as
 * far as is known. RDL_E_PERM, RDL_E_UNSUPPORTED: why it refused the last one. RDL_E_CONFIG: none is
 * configured.
 */
int rdl_conn_refuses(const struct rdl_conn *c, const struct rdl_op *op);

/*
 * Returns 1 if the server has refused a method of op's family on this connection, in other words than those
 * of an unknown command or a missing permission. For example, it has scripts, but they are switched off.
 */
int rdl_conn_is_switched_off(const struct rdl_conn *c, const struct rdl_op *op);

/*
 * Stops waiting for req, which then has an answer: UNSENT (it will never be sent), UNKNOWN (it was sent; its
 * reply will be counted and discarded), or what is known already. A release is still sent. The release after
 * an acquire with UNKNOWN has its room (rdl_conn_free_room). If you submit it at once, it follows the acquire
 * on the same connection. An answered or idle req does not change. Afterwards nothing refers to req, so you
 * may free its memory.
 */
void rdl_conn_abandon(struct rdl_conn *c, struct rdl_req *req);

/*
 * Marks req as followed by a release, while its answer is still awaited. It is not sent again with another
 * method, because that would be after the release. If it was not sent yet, it never will be (UNSENT).
 */
void rdl_conn_forbid_retry(struct rdl_conn *c, struct rdl_req *req);

/*
 * Aborts the connection with this error (RDL_OK means RDL_E_CLOSED). All requests that wait get an answer
 * now. Pending releases stay queued, for the next connection.
 */
void rdl_conn_shut(struct rdl_conn *c, int error);

/* Returns 1 if a request that is queued or unanswered refers to an rdl_req in memory[0..len). */
int rdl_conn_refers_to(const struct rdl_conn *c, const void *memory, size_t len);

/* Returns 1 if the connection was closed (RDL_E_CLOSED) before the reply to INFO: some proxies do this. */
int rdl_conn_lacks_info(const struct rdl_conn *c);

/*
 * Returns 1 if the conn must be read before the next rdl_conn_tick: it opens, its oldest reply is overdue, or
 * it is stalled and would be closed. What has arrived would otherwise count as missing.
 */
int rdl_conn_is_due(struct rdl_conn *c, uint64_t now_ms);

/* Returns the number of requests that are queued or unanswered. */
uint32_t rdl_conn_waiting(const struct rdl_conn *c);
/* Returns the number of replies received so far. It grows while the server makes progress, and wraps. */
uint32_t rdl_conn_replies(const struct rdl_conn *c);

/* -------------------------------------------------- an operation */

#ifdef __GNUC__
#define RDL_MAY_ALIAS __attribute__((may_alias)) /* the queue was declared as another type */
#else
#define RDL_MAY_ALIAS
#endif

/* One request in the queue, followed by its name, value and extra. It moves when one is removed or added. */
struct RDL_MAY_ALIAS rdl_record {
    struct rdl_req *req; /* gets the answer; NULL: no caller waits */
    const struct rdl_op *op;
    uint64_t until_ms;
    uint32_t ttl_ms;
    uint16_t len; /* bytes of its phase's commands; 0: no method was selected yet */
    uint8_t name_len;
    uint8_t value_len;
    uint8_t extra_len;
    /* its progress */
    uint8_t method;  /* index of its operation's method: the selected one, or the first that it may select */
    uint8_t phase;   /* index of its phase's first command among those of its method */
    uint8_t replies; /* received in this phase */
    uint8_t verdict; /* enum rdl_answer */
    int8_t error;
    uint8_t is_refused : 1; /* the server refuses this method */
    uint8_t is_long : 1;    /* the key already lives for the ttl */
    uint8_t in_multi : 1;
    uint8_t is_sha : 1;       /* sent as EVALSHA */
    uint8_t is_exclusive : 1; /* its method has the connection for itself */
    uint8_t no_retry : 1;     /* not sent again with another method */
    uint8_t skipped;          /* enum rdl_skipped */
};

/*
 * Why a record went on to later methods although the skipped ones are not remembered as refused. ERROR: after
 * unknown errors only; if a later method works, they are remembered. KEY: also because the server refused its
 * key; they are never remembered, because other keys may be allowed.
 */
enum rdl_skipped { RDL_SKIPPED_NONE, RDL_SKIPPED_ERROR, RDL_SKIPPED_KEY };

/* The first phase of every method. As a result of next_phase: there is no next phase. */
enum { RDL_PHASE_CHECK };

/* When a request is sent. */
enum rdl_must_send {
    RDL_SEND_IF_AWAITED, /* only while a caller waits for its answer */
    RDL_SEND_ALWAYS,     /* on this connection or the next: a release */
    RDL_SEND_HERE        /* on this connection, even if no caller waits: the creation of a canary */
};

/* The letters that a record has arguments for: its texts, its ttl; c and s come from its method's script. */
enum rdl_letter {
    RDL_LETTER_K,
    RDL_LETTER_V,
    RDL_LETTER_X,
    RDL_LETTER_M,
    RDL_LETTER_C,
    RDL_LETTER_S,
    RDL_LETTERS
};
enum { RDL_TEXTS = RDL_LETTER_X + 1 };
#define RDL_RECORD_LETTERS "kvxmcs"

/*
 * One method of making a request: its commands, and what their replies mean. The commands are written again
 * for each chunk that the transport has room for, and must be the same each time. So a record must not change
 * until all of its phase is sent.
 */
struct rdl_method {
    /* The templates (resp_template.h), with one reply each; NULL ends each phase. */
    const char *const *commands;
    /* Returns the next phase, or RDL_PHASE_CHECK: none. With this it has the conn for itself. Or NULL. */
    uint8_t (*next_phase)(const struct rdl_record *r);
    /* Writes commands that have other letters than `own`, the record's (RDL_RECORD_LETTERS). Or NULL. */
    void (*write_args)(struct rdl_slice *w, const char *const *commands,
                       const struct rdl_bytes own[RDL_LETTERS], const struct rdl_conn *c,
                       const struct rdl_record *r);
    /* Evaluates reply number r->replies. Returns RDL_OK, or the error that ends the connection. */
    int (*on_reply)(struct rdl_conn *c, struct rdl_record *r);
    const struct rdl_script *script; /* the script that it calls; or NULL */
    /*
     * Reads an event of a reply that is an array, or a piece of a bulk string: the conn keeps only its
     * beginning. NULL: they are not used. Of a string reply_items is 0 at first, for this function alone.
     */
    void (*take)(struct rdl_conn *c, const struct rdl_record *r, const struct rdl_resp_event *ev);
};

/* Families share what is remembered as refused: an index of rdl_conn.refused, numbered by the layer above. */
enum { RDL_FAMILY_DIRECT /* one method, which is sent again even if the server has refused it */ };

/* The methods of the first families, from 1 on, as the conn's configuration names them. */
enum { RDL_METHOD_FAMILIES = 2 };
struct rdl_methods {
    const struct rdl_method *const *of[RDL_METHOD_FAMILIES]; /* of family 1, of family 2 */
};

/* A list of methods ends with NULL. If it has several, check its length with RDL_METHODS_FIT. */
enum { RDL_METHODS_MAX = 5 };
#define RDL_METHODS_FIT(list)                                                                                \
    RDL_STATIC_ASSERT(sizeof(list) / sizeof(list)[0] <= RDL_METHODS_MAX + 1u, list##_fit)

/* An operation: a constant object that describes a request. */
struct rdl_op {
    const struct rdl_method *const *methods; /* a list; NULL: that of the conn's configuration */
    const struct rdl_op *then;               /* the operation to use if all of them are refused; NULL: none */
    uint8_t family;                          /* RDL_FAMILY_DIRECT, or a number that operations may share */
    uint8_t may_grant; /* 1: it may leave a key that is ours, so it reserves room for the release */
    uint8_t must_send; /* enum rdl_must_send: whether it is sent even if no caller waits any more */
    /*
     * What follows an unknown error, one that no row of resp/WIRE.md names. 0: the request ends. Else it goes
     * on with the next method. If a later one works, those before it count as refused in the operation's own
     * family, and so does the first method of this one: its own, or that of the operation whose `then` it is.
     */
    uint8_t fallback_family;
};

/* -------------------------------------------------- for the functions of a method */

/* Delivers the final result now; the remaining replies are read and discarded. */
void rdl_record_complete(struct rdl_record *r, int64_t value);
/* Copies the reply, at most `most` bytes, to the rdl_req that waits, if it has room for it (rdl_req.text). */
void rdl_record_copy_text(const struct rdl_conn *c, const struct rdl_record *r, size_t most);
/* Keeps the first two numbers of an array. Digits in a bulk string (TIME) count, and OK (of EXEC) is 1. */
void rdl_take_numbers(struct rdl_conn *c, const struct rdl_record *r, const struct rdl_resp_event *ev);
/*
 * Evaluates an error reply. A command that the server lacks or forbids is remembered as refused for this
 * connection. NOPERM for anything else (a key) concerns this request alone. Both try the next method. Returns
 * RDL_OK, or the error that ends the connection.
 */
int rdl_reply_error(struct rdl_conn *c, struct rdl_record *r);
/* Return whether the reply is +OK, or this text. */
int rdl_reply_is_ok(const struct rdl_conn *c);
int rdl_reply_is_text(const struct rdl_conn *c, struct rdl_bytes text);
/* Returns the RDL_E_ code of an error reply, by its prefix. */
int rdl_error_code(const char *text);
/* Gets the texts of a record; they point into the queue. */
void rdl_record_texts(const struct rdl_record *r, struct rdl_bytes own[RDL_TEXTS]);
/* Remembers that the server refuses the record's method, so that the next one is tried. */
void rdl_method_refuse(struct rdl_conn *c, const struct rdl_record *r);

/* -------------------------------------------------- connection checks */

/*
 * What a new connection sends before any request. Set rdl_conn.checks, which is not copied, while the conn is
 * closed or opening. The conn's configuration must then have server_info: its `has` is 0 on each new
 * connection. When the connection is ready, timestamp is called until it sets RDL_INFO_TIMESTAMP.
 */
struct rdl_conn_checks {
    const struct rdl_handshake_ops *handshake; /* &rdl_handshake */
    const char *const *commands;           /* templates without letters, with one reply each */
    unsigned steps;                        /* their number */
    /* Reads a piece of a reply, also of an array. 1: it was used, and the conn keeps nothing of it. */
    int (*take)(struct rdl_conn *c, const struct rdl_resp_event *ev);
    /* Evaluates a reply. Returns RDL_OK, or the error that ends the connection. */
    int (*on_reply)(struct rdl_conn *c);
    /* Stores the time at which the connection became ready. */
    void (*timestamp)(struct rdl_conn *c, uint64_t now_ms);
};
extern const struct rdl_handshake_ops rdl_handshake;
/* Returns whether the error is the first reply of a server that refuses the connection; keeps its text. */
int rdl_handshake_is_turned_away(struct rdl_conn *c);

#endif
