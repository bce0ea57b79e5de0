/* SPDX-License-Identifier: MIT */
/* redlock_private.h - what the files of redlock/ share; private to them. */
#ifndef RDL_REDLOCK_PRIVATE_H
#define RDL_REDLOCK_PRIVATE_H

#include "lock/lock_hint.h"
#include "lock/lock_lease.h"
#include "lock/lock_op.h"
#include "lock/lock_owner.h"
#include "redlock/redlock_op.h"

/*
 * rdl_server.certainty: how sure we are, by a server's last reply, that it has held our key without a gap.
 *
 * A key that was put back proves nothing about the time before (RESTORED). It counts as CONTINUOUS after an
 * extend that was sent later (CONFIRMING) and that a majority without this server has confirmed.
 */
enum { CERTAINTY_NONE, CERTAINTY_GONE, CERTAINTY_RESTORED, CERTAINTY_CONFIRMING, CERTAINTY_CONTINUOUS };

enum { RDL_WAITING_MAX = 64 }; /* a conn with this many unanswered requests gets no more */

enum redlock_state {
    REDLOCK_IDLE,    /* no operation */
    REDLOCK_CONNECT, /* waiting for a majority of the conns; a release is queued on all of them already */
    REDLOCK_ASKED,   /* counting votes */
    REDLOCK_FENCE,   /* granted; waiting until a majority holds the fencing token */
    REDLOCK_VERDICT, /* not granted, everything is released; waiting to know whether it is busy */
    REDLOCK_REPAIR,  /* extended; waiting for the keys that were put back */
    REDLOCK_PAUSE    /* between two attempts */
};

struct rdl_fencing_ops {
    const struct rdl_op *acquire;
    const struct rdl_op *extend;
    /* Finds the fencing token of a granted lock. RDL_OK: a majority holds it; RDL_PENDING: not yet. */
    int (*settle)(struct rdl_redlock *r, uint64_t now_ms);
    /* Raises the fencing token on servers that granted the lock and hold a smaller one. */
    void (*spread)(struct rdl_redlock *r, uint64_t now_ms);
    /* Evaluates the reply of s to that. */
    void (*raised)(struct rdl_redlock *r, struct rdl_server *s, enum rdl_vote vote, int error);
    /* Returns what a yes of s to an acquire is worth, and why. */
    enum rdl_vote (*confirm)(const struct rdl_server *s, int *error);
    /* Writes the additional argument of a request. Returns its length; 0: none. */
    size_t (*extra)(const struct rdl_redlock *r, const struct rdl_op *op, char out[RDL_EXTRA_MAX]);
};

/* rdl_server.raise: the request to hold the fencing token, in this operation */
enum { RAISE_NONE, RAISE_OUT, RAISE_DONE };

struct rdl_canary_ops {
    /* Sends the check after the request for server i's vote, which was just queued. */
    void (*ask)(struct rdl_redlock *r, size_t i);
    /* Evaluates the reply to the check, and creates a new canary where it is missing. */
    void (*take)(struct rdl_redlock *r, size_t i, uint64_t now_ms);
    /* Returns what a yes of server i is worth: RDL_VOTE_PENDING until its canary is known; and why. */
    enum rdl_vote (*confirm)(struct rdl_redlock *r, size_t i, int *error);
    /* Discards the reply to the check: the operation ends, and the time is not known. */
    void (*drop)(struct rdl_redlock *r, size_t i);
    /* Returns when server i counts, as far as its canary is concerned; 0: it does. */
    uint64_t (*counts_at)(const struct rdl_redlock *r, size_t i);
};

/* ---------------------------------------------------------------- redlock_acquire.c */

/* Begins the attempt, if a majority of the servers is connected and counts. */
int rdl_redlock_connect(struct rdl_redlock *r, uint64_t now_ms);
/* Decides what the votes mean: RDL_PENDING, or the result. */
int rdl_redlock_evaluate_acquire(struct rdl_redlock *r, uint64_t now_ms);

/* ---------------------------------------------------------------- redlock_extend.c */

/* Decides what the votes mean: RDL_PENDING, or the result. */
int rdl_redlock_evaluate_extend(struct rdl_redlock *r, uint64_t now_ms);
/*
 * Finishes an operation whose result is known: between operations, or when a blocking extend begins. It puts
 * the key back where a straggler of the last extend reports that it is gone. While the attempt would have
 * lasted, it also sends the acquire to servers that connected after a majority had granted the lock. It
 * raises the fencing token on servers that granted the lock late.
 */
void rdl_redlock_follow_up(struct rdl_redlock *r, uint64_t now_ms);
/* Releases everything, because the lease is over, and ends the operation with this result. */
int rdl_redlock_lease_ended(struct rdl_redlock *r, int result, uint64_t now_ms);
/* Checks whether the options allow this extend: RDL_OK, RDL_E_TTL or RDL_E_CAP. */
int rdl_redlock_check_extend(const struct rdl_redlock *r, uint32_t ttl_ms, uint64_t now_ms);

/* ---------------------------------------------------------------- redlock_guard.c */

enum { RDL_RUN_DIGITS = 16 }; /* the first digits of a run_id, enough to identify one start of a server */
/* Reads the first digits of a run_id, NUL-terminated. */
uint64_t rdl_guard_run(const char *hex);
/* Returns 1 if the conn was opened before rdl_guard_conn, so its server was not checked. */
static inline int rdl_guard_is_late(const struct rdl_conn *c)
{
    return c->checks == NULL && c->state != RDL_CONN_CLOSED && c->state != RDL_CONN_OPENING;
}
/* Returns when the quarantine ends of a server that has had its data since then, by our clock. */
uint64_t rdl_guard_quarantine_end(const struct rdl_redlock *r, int64_t since_ms);
/*
 * Returns the time from which the votes of s count; UINT64_MAX: never. *why is the permanent reason then,
 * otherwise RDL_OK.
 */
uint64_t rdl_guard_counts_at(const struct rdl_redlock *r, const struct rdl_server *s, int *why);

/* ---------------------------------------------------------------- redlock_vote.c */

/* Runs the timers of the conns and counts the replies as votes. Returns when to call it again. */
uint64_t rdl_votes_take_replies(struct rdl_redlock *r, uint64_t now_ms);
/* Clears the last operation's votes. */
void rdl_votes_clear(struct rdl_redlock *r);
/* Marks the servers that are connected and whose votes count. Returns how many. */
unsigned rdl_votes_mark_eligible(struct rdl_redlock *r, uint64_t now_ms);
/* Sends the request of r->action to the servers that are ready and have not received it yet. */
void rdl_votes_ask(struct rdl_redlock *r, uint64_t now_ms);
/*
 * Queues a request for s: RDL_OK or RDL_E_FULL. until_ms is when the key that it sets or releases must have
 * expired. For an adopted key that time is not known, but a key that is put back expires after its ttl.
 */
int rdl_votes_submit(struct rdl_redlock *r, struct rdl_server *s, const struct rdl_op *op,
                     struct rdl_req *req, uint64_t until_ms);
/* Puts the key back where it is gone. Returns how many requests were sent. */
unsigned rdl_votes_repair(struct rdl_redlock *r, uint64_t now_ms);
/*
 * Stops waiting for replies. The error of a missing one is RDL_E_TIMEOUT if its server had its full time,
 * otherwise RDL_E_ABANDONED.
 */
void rdl_votes_abandon(struct rdl_redlock *r, uint64_t now_ms);
/*
 * Sets the error of each vote that is still pending: RDL_E_TIMEOUT or RDL_E_ABANDONED, as above. A later
 * reply is still counted.
 */
void rdl_votes_set_pending_errors(struct rdl_redlock *r, uint64_t now_ms);
/* Ends the operation with this result, and returns it. No room in a queue is reserved any more. */
int rdl_redlock_finish(struct rdl_redlock *r, int result);
/* The part of it that ends the canaries' checks and the hint's wait. */
void rdl_redlock_end_waits(struct rdl_redlock *r);
/*
 * Queues the release that each server still needs, now, after its SET: the lease is over, or never was. With
 * wait, the replies become votes.
 */
void rdl_votes_release(struct rdl_redlock *r, int wait, uint64_t now_ms);
/* Releases what a failed attempt holds, and still counts the missing replies as votes. */
void rdl_votes_release_granted(struct rdl_redlock *r, uint64_t now_ms);
/* Queues the releases for which there was no room yet, until the key must have expired. */
void rdl_votes_flush_releases(struct rdl_redlock *r, int wait, uint64_t now_ms);

/* ---------------------------------------------------------------- redlock_io.c */

/*
 * Reads what arrived since the last operation, where it would otherwise count as missing, or after a time in
 * which a connection may have closed. Before an extend it also does what an event loop does between
 * operations: it reads late replies to the last extend, and sends what follows from them
 * (rdl_redlock_follow_up). Returns the time.
 */
uint64_t rdl_redlock_begin_ms(struct rdl_redlock *r, const struct rdl_platform *platform,
                              enum rdl_action action);

/* ---------------------------------------------------------------- redlock_count.c */

/* Returns how many servers are a majority of the configured ones. */
/*@ requires \valid_read(r);
    assigns \nothing;
    ensures 2 * \result > r->n && 2 * (\result - 1) <= r->n; */
inline unsigned rdl_redlock_quorum(const struct rdl_redlock *r)
{
    return r->n / 2u + 1u;
}
/* Returns the longest ttl of any client: max_ttl_ms or its default. */
/*@ requires \valid_read(r) && \valid_read(r->opt);
    assigns \nothing;
    ensures r->opt->max_ttl_ms != 0 ? \result == r->opt->max_ttl_ms : \result == RDL_TTL_DEFAULT_MS; */
uint32_t rdl_redlock_max_ttl_ms(const struct rdl_redlock *r);
/* Returns the round trip to the farthest server of the nearest majority, in ms; UINT32_MAX: unknown. */
uint32_t rdl_votes_quorum_rtt_ms(const struct rdl_redlock *r);
/* A property of a server, and how many servers have it. */
typedef int rdl_server_is(const struct rdl_redlock *r, const struct rdl_server *s);
unsigned rdl_votes_count(const struct rdl_redlock *r, rdl_server_is *is);
/* Its conn is closed, and this acquire has tried to connect; the others pause since before it. */
rdl_server_is rdl_was_refused;
/* It is connected, and the restart guard excludes it permanently. */
rdl_server_is rdl_is_ineligible;
/* It has the key, with or without a gap, and its vote counts. */
rdl_server_is rdl_is_holding;
/* Its yes counts. With an extend it must have held the key without a gap. */
rdl_server_is rdl_is_yes;
/*
 * It can no longer be counted as holding in this operation: it does not have the key, failed, is not
 * connected, or its vote does not count.
 */
rdl_server_is rdl_is_impossible;
/* By its last reply it has held the key without a gap. */
rdl_server_is rdl_is_continuous;
/* In a release: it had the key by its last reply, or has just deleted it. */
rdl_server_is rdl_was_held;
/* In a release: it may have had the key, because its release is not answered yet, or not queued yet. */
rdl_server_is rdl_was_maybe_held;
/* In a release: it got no request, because it never granted us anything. */
rdl_server_is rdl_is_untouched;
/* It needs a release, now or when the lease is over. */
rdl_server_is rdl_is_unreleased;
/* Counts the conns in this state. */
unsigned rdl_votes_count_conns(const struct rdl_redlock *r, enum rdl_conn_phase state);
/* Returns in how many ms enough of the other clients' keys expire; UINT32_MAX: unknown. */
uint32_t rdl_votes_free_in_ms(const struct rdl_redlock *r);
/* Counts the servers that refused the request with this error. */
unsigned rdl_votes_count_errors(const struct rdl_redlock *r, int error);
/* Returns 1 if so many servers failed permanently that a retry cannot reach a majority. */
int rdl_votes_failed_for_good(const struct rdl_redlock *r);
/* Returns when validity ends. It starts before the first send, so the servers' clocks started later. */
uint64_t rdl_redlock_validity_end(const struct rdl_redlock *r);
/* Ends the current state by most_ms at the latest. */
void rdl_redlock_wake_by(struct rdl_redlock *r, uint64_t most_ms);
/* Starts the clock of an attempt, an extend or a release. */
void rdl_redlock_start_asking(struct rdl_redlock *r, uint64_t now_ms);

#endif
