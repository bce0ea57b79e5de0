/* SPDX-License-Identifier: MIT */
/*
 * net_op.h - for who asks a server something over a conn: how a request is queued and given up, and what an
 * op is made of, that is how a request is put and what the replies to it mean. A conn knows nothing else.
 * Nobody needs this to take locks.
 */
#ifndef RDL_NET_OP_H
#define RDL_NET_OP_H

#include "net/net.h"
#include "resp/resp_template.h"

/* -------------------------------------------------- asking */

struct rdl_command {
    const struct rdl_op *op;
    struct rdl_bytes name;  /* 1..RDL_NAME_MAX bytes, copied */
    struct rdl_bytes value; /* what marks the key as ours, as it is on the wire; to RDL_VALUE_MAX, copied */
    struct rdl_bytes extra; /* of some ops, else empty; to RDL_EXTRA_MAX, copied */
    uint64_t until_ms;      /* after this the key is gone by itself and a release still owed is dropped */
    uint32_t ttl_ms; /* of a release: its key lives no longer; 0: after an error it is not sent again */
};

/*
 * Answers take no longer than this (below 2^31); said before a request. Of several locks the most patient
 * counts, of those that said so since the last connection ended, and since nothing was waited for; until one
 * does, what was said before. It also applies to an oldest answer that is waited for already. When that is
 * overdue the conn is SILENT: it takes no request but releases until a byte comes. It is ended with
 * RDL_E_TIMEOUT when the keys of all its unanswered SETs are gone by themselves, at the next turn if there is
 * none; not earlier: the releases behind them on this connection come after them, those on another may not.
 * What is owed then stays owed for one ttl more, for a server that thaws later executes even what came over a
 * connection that has ended: such a SET may keep its key for one ttl. On a conn that was never told, nothing
 * is overdue.
 */
void rdl_conn_set_timeout(struct rdl_conn *c, uint32_t answer_ms);

/* A connection over which nothing was sent for longer may have ended, and nobody looked. */
enum { RDL_QUIET_MS = 1000 };

/*
 * Call this when an extend would lose its lease by waiting. Until a byte comes, the oldest answer is overdue
 * after answer_ms, however patient other locks are. When the conn is SILENT it ends at the next turn, whoever
 * has an unanswered SET on it, and what is owed stays owed for one ttl, as above. A SET that its server
 * executes after the release that went over the next one leaves a key for that lock's ttl, which nobody
 * believes in.
 */
void rdl_conn_abort_if_stalled(struct rdl_conn *c, uint32_t answer_ms);

/*
 * As rdl_conn_tick, for a lease that could not be extended and has left_ms left (0: for none): a pause
 * before the next connection is at most a twentieth of that, with jitter; RDL_PAUSE_LEAST_MS or more.
 */
uint64_t rdl_conn_tick_for_lease(struct rdl_conn *c, uint32_t left_ms, uint64_t now_ms);
enum { RDL_PAUSE_LEAST_MS = 10 };

/* Seed the reconnect jitter with a value unique to this client. */
inline void rdl_conn_seed(struct rdl_conn *c, uint32_t seed)
{
    c->seed ^= seed;
}

/* Full jitter: a pause in [1, min(cap_ms, base_ms << tries)]. *seed is the caller's and changes. */
uint32_t rdl_backoff_ms(uint32_t *seed, uint32_t base_ms, uint32_t cap_ms, unsigned tries);

/*
 * Queue a request. req gets the answer; NULL: nobody waits for it (a release that is owed). Anything but
 * a release is only taken if a release still fits behind it, and not while the conn is SILENT. Needs no open
 * connection: what is queued is sent when it is READY. RDL_OK, RDL_E_FULL, RDL_E_QUEUE (it will never fit),
 * RDL_E_TIMEOUT, RDL_E_METHODS or RDL_E_LOGIN.
 *
 * A release (RDL_SEND_ALWAYS) that is refused with an error that passes reports that error, and is sent again
 * after a pause with jitter (READONLY: over the next connection) until until_ms. If that is UINT64_MAX: for
 * ttl_ms from the first pause on. Meanwhile other requests overtake it, and the conn is not idle.
 *
 * A request that may grant a key (rdl_op.may_grant) reserves the room that the key's release needs. The room
 * stays reserved, whatever the answer is and also if the connection ends, until rdl_conn_free_room.
 */
int rdl_conn_submit(struct rdl_conn *c, struct rdl_req *req, const struct rdl_command *cmd);

/*
 * The room that req has reserved becomes free, if it has any. A release that is submitted next, before
 * anything else, is never RDL_E_FULL.
 */
void rdl_conn_free_room(struct rdl_conn *c, struct rdl_req *req);

/*
 * Has this server refused every method of op since the connection was opened? RDL_OK: not as far as is known.
 * RDL_E_PERM, RDL_E_UNSUPPORTED: why it refused the last one; RDL_E_METHODS: none is named.
 */
int rdl_conn_refuses(const struct rdl_conn *c, const struct rdl_op *op);

/* Did the server refuse a method of op's family, not as unknown or forbidden: are scripts switched off? */
int rdl_conn_is_switched_off(const struct rdl_conn *c, const struct rdl_op *op);

/*
 * Stop waiting for req, which then has an answer: UNSENT (it never will be sent), UNKNOWN (it was; its
 * reply will only be counted off), or what is known already. A release is the exception: it stays owed and
 * is sent. After an ACQUIRE with UNKNOWN the release it needs has its room (rdl_conn_free_room); submitted
 * at once it follows the acquire on the same connection. An answered or idle req is left as it is. Nothing
 * refers to req any more, so its memory may be freed.
 */
void rdl_conn_abandon(struct rdl_conn *c, struct rdl_req *req);

/*
 * A release will be submitted behind req, whose answer is still of interest: it is not sent again by another
 * method, which would come behind that release, nor at all if it was not sent yet (UNSENT).
 */
void rdl_conn_last_try(struct rdl_conn *c, struct rdl_req *req);

/*
 * End the connection with this error (RDL_OK stands for RDL_E_CLOSED). Who waits for an answer has one now.
 * Owed releases stay queued, and what is queued from now on is for the next connection.
 */
void rdl_conn_shut(struct rdl_conn *c, int error);

/*
 * 1: a request that is queued or unanswered refers to an rdl_req in memory[0..len), which must not be
 * freed.
 */
int rdl_conn_refers_to(const struct rdl_conn *c, const void *memory, size_t len);

/* As rdl_conn_error; RDL_E_NO_INFO if the server closed the connection during its checks. */
int rdl_conn_cause(const struct rdl_conn *c);

/* Requests queued or unanswered. */
uint32_t rdl_conn_waiting(const struct rdl_conn *c);
/* Replies received so far; its growth says that the server makes progress. Wraps. */
uint32_t rdl_conn_replies(const struct rdl_conn *c);

/* -------------------------------------------------- an op */

#ifdef __GNUC__
#define RDL_MAY_ALIAS __attribute__((may_alias)) /* the queue was declared as something else */
#else
#define RDL_MAY_ALIAS
#endif

/*
 * One request as it stands in the queue; its name, value and extra right behind it. Records move when one is
 * removed or added, so nobody keeps a pointer.
 */
struct RDL_MAY_ALIAS rdl_record {
    struct rdl_req *req; /* who waits for the answer; NULL: nobody */
    const struct rdl_op *op;
    uint64_t until_ms;
    uint32_t ttl_ms;
    uint16_t len; /* bytes of its phase's commands; 0: its method was not selected yet */
    uint8_t name_len;
    uint8_t value_len;
    uint8_t extra_len;
    /* how far it is */
    uint8_t method; /* which of its op's: the one it took, or the first that it may take */
    uint8_t phase;  /* where its commands begin among those of its method; RDL_PHASE_CHECK: the first phase */
    uint8_t replies; /* had in this phase */
    uint8_t verdict; /* enum rdl_answer */
    int8_t error;
    uint8_t is_refused : 1; /* the server does not take this method */
    uint8_t is_long : 1;    /* the key lives for the ttl anyway */
    uint8_t in_multi : 1;
    uint8_t is_sha : 1;       /* sent as EVALSHA */
    uint8_t is_exclusive : 1; /* of its method */
    uint8_t is_last : 1;      /* it is not sent again by another method */
    uint8_t passed; /* enum rdl_passed: it has passed over methods that are not remembered as refused */
};

/* Only because of unknown errors: remembered if a later method works. Or, also, because of its key: never. */
enum rdl_passed { RDL_PASSED_NONE, RDL_PASSED_OTHER, RDL_PASSED_KEY };

enum { RDL_PHASE_CHECK };

enum rdl_must_send {
    RDL_SEND_IF_AWAITED,
    RDL_SEND_ALWAYS /* on this connection or the next */,
    RDL_SEND_HERE /* on this one */
};

/* The letters that a record has arguments for: its texts, its ttl; c and s: of its method's script. */
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
 * One method to put a request: its commands, and what their replies mean. They are written again for each
 * chunk that the transport has room for, and must be the same each time: what a record says is not changed
 * before all of its phase is sent.
 */
struct rdl_method {
    /* Templates (resp_template.h), a reply for each; NULL at the end of each phase. */
    const char *const *commands;
    /*
     * The phase that follows, or RDL_PHASE_CHECK: none. With this it has the connection to itself. NULL: it
     * has one phase.
     */
    uint8_t (*next_phase)(const struct rdl_record *r);
    /*
     * Put commands whose letters are others than `own`, the record's (RDL_RECORD_LETTERS). NULL: they have
     * no others.
     */
    void (*write_args)(struct rdl_slice *w, const char *const *commands,
                       const struct rdl_bytes own[RDL_LETTERS], const struct rdl_conn *c,
                       const struct rdl_record *r);
    /* Judge reply number r->replies. RDL_OK, or what ends the connection. */
    int (*on_reply)(struct rdl_conn *c, struct rdl_record *r);
    const struct rdl_script *script; /* it is a call of this one; or NULL */
    /* Take an event of a reply that is an array. NULL: nothing of it is of use. */
    void (*take)(struct rdl_conn *c, const struct rdl_resp_event *ev);
};

/*
 * Ops whose refusals are remembered together: index of rdl_conn.refused. Whoever makes the ops numbers their
 * families, below RDL_FAMILIES.
 */
enum { RDL_FAMILY_DIRECT /* it has one way, which is asked again whatever the server said */ };

/* The methods of the first families, from 1 on, that the conn's configuration names. */
enum { RDL_METHOD_FAMILIES = 2 };
struct rdl_methods {
    const struct rdl_method *const *of[RDL_METHOD_FAMILIES]; /* of family 1, of family 2 */
};

struct rdl_op {
    const struct rdl_method *const
        *methods;              /* in order, 5 at most, then NULL; NULL: those of the conn's configuration */
    const struct rdl_op *then; /* what is done where all of them are refused; NULL: nothing */
    uint8_t family;            /* RDL_FAMILY_DIRECT, or a number that others may share */
    uint8_t may_grant;         /* it may leave a key that is ours: room for its release is kept */
    uint8_t must_send;         /* enum rdl_must_send: it is sent even if nobody waits for it any more */
    /*
     * 0: an error that no row of WIRE.md names ends it. Else it goes the next method; when that works the
     * methods passed over are remembered as refused: its family's, and this one's, that of the op whose
     * `then` it is.
     */
    uint8_t goes_on;
};

/* -------------------------------------------------- for the functions of a method */

/* The result is final: deliver it now; the remaining replies are read and discarded. */
void rdl_record_complete(struct rdl_record *r, int64_t value);
/* Give the reply, cut to so many bytes, to whoever waits for it and wants it (rdl_req.text). */
void rdl_record_copy_text(const struct rdl_conn *c, const struct rdl_record *r, size_t most);
/* Of an array its first two numbers; a bulk of digits (TIME) is one, an OK (of EXEC) counts as 1. */
void rdl_take_numbers(struct rdl_conn *c, const struct rdl_resp_event *ev);
/*
 * An error reply. A command that the server does not have, or forbids, is remembered as refused for the
 * connection; NOPERM for anything else, a key, concerns this request alone. Both try the next method.
 */
int rdl_reply_error(struct rdl_conn *c, struct rdl_record *r);
int rdl_reply_is_int(const struct rdl_conn *c, int64_t value);
int rdl_reply_is_ok(const struct rdl_conn *c);
int rdl_reply_is_text(const struct rdl_conn *c, struct rdl_bytes text);
/* The RDL_E_ code of an error reply, by its prefix. */
int rdl_error_code(const char *text);
int rdl_has_prefix(const char *text, const char *prefix);
/* The texts of a record; they point into the queue. */
void rdl_record_texts(const struct rdl_record *r, struct rdl_bytes own[RDL_TEXTS]);
/* The server does not take the method of this record: the next one is tried. */
void rdl_method_refuse(struct rdl_conn *c, const struct rdl_record *r);
/* Keep text as what the server last said; bytes that do not print become '?'. */
void rdl_conn_set_text(struct rdl_conn *c, const char *text);

/* -------------------------------------------------- what a new connection is asked first */

/*
 * rdl_conn.checks, borrowed, set while the conn is closed. With one, the conn's configuration has
 * server_info: their `has` is 0 on each new connection, and stamp is called once it is ready, until it sets
 * RDL_INFO_TIMESTAMP.
 */
struct rdl_conn_checks {
    const char *const *commands; /* templates without letters, a reply for each */
    unsigned steps;              /* how many */
    /* A piece of a reply, of an array too. 1: it was taken, and nothing else is to be kept of it. */
    int (*take)(struct rdl_conn *c, const struct rdl_resp_event *ev);
    /* A reply. RDL_OK, or the error that ends the connection. */
    int (*on_reply)(struct rdl_conn *c);
    void (*timestamp)(struct rdl_conn *c, uint64_t now_ms);
};
/* Is the error what a server says, in the place of the first answer, to a connection it does not want? */
int rdl_handshake_is_turned_away(struct rdl_conn *c);

#endif
