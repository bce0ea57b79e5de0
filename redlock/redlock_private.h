/* SPDX-License-Identifier: MIT */
/* redlock_private.h - what the files of redlock/ share and nobody else may use. */
#ifndef RDL_REDLOCK_PRIVATE_H
#define RDL_REDLOCK_PRIVATE_H

#include "lock/lock_lease.h"
#include "lock/lock_op.h"
#include "redlock/redlock_op.h"

/*
 * rdl_server.certainty: what we had on a server when it was last heard. A key that was gone and was put back
 * proves nothing about the time before; it does from the first extend on that was sent later (LATE) and was
 * confirmed by a majority without it.
 */
enum { CERTAINTY_NONE, CERTAINTY_GONE, CERTAINTY_RESTORED, CERTAINTY_CONFIRMING, CERTAINTY_CONTINUOUS };

enum { RDL_WAITING_MAX = 64 }; /* so many unanswered requests on a conn, and it is asked nothing more */

enum redlock_state {
    REDLOCK_IDLE,    /* no operation */
    REDLOCK_CONNECT, /* waiting for a majority of the conns; a release is queued on all of them */
    REDLOCK_ASKED,   /* counting votes */
    REDLOCK_FENCE,   /* granted; waiting until a majority holds the fencing number */
    REDLOCK_VERDICT, /* not granted, all is given back; waiting for whether it is busy */
    REDLOCK_REPAIR,  /* extended; waiting for what was put back */
    REDLOCK_PAUSE    /* between two attempts */
};

struct rdl_fencing_ops {
    const struct rdl_op *acquire;
    const struct rdl_op *extend;
    /* A majority has granted it: RDL_OK, it holds the number too; RDL_PENDING. */
    int (*settle)(struct rdl_redlock *r, uint64_t now_ms);
    /* Held: whoever answered and holds less is asked to hold the number. */
    void (*spread)(struct rdl_redlock *r, uint64_t now_ms);
    /* What s said to that. */
    void (*raised)(struct rdl_redlock *r, struct rdl_server *s, enum rdl_vote vote, int error);
    /* What goes with a request; 0: nothing. */
    size_t (*extra)(const struct rdl_redlock *r, const struct rdl_op *op, char out[RDL_EXTRA_MAX]);
};

/* rdl_server.raise, in this operation */
enum { RAISE_NONE, RAISE_OUT, RAISE_DONE };

struct rdl_canary_ops {
    /* Server i was just asked for its vote with this: look behind it. */
    void (*ask)(struct rdl_redlock *r, size_t i, const struct rdl_op *vote);
    /* Take in what was seen, and make a new canary where it is missing. */
    void (*take)(struct rdl_redlock *r, size_t i, uint64_t now_ms);
    /* Server i said yes: RDL_VOTE_PENDING until its canary is seen; then what the vote is, and why. */
    enum rdl_vote (*confirm)(struct rdl_redlock *r, size_t i, uint64_t now_ms, int *error);
    /* Nothing more is taken in for this operation: it ends, and nobody says what time it is. */
    void (*drop)(struct rdl_redlock *r, size_t i);
    uint64_t (*counts_at)(const struct rdl_redlock *r, size_t i);
};

/* ---------------------------------------------------------------- redlock_state.c */

/* Validity runs from before the first send: whatever the way took, the servers' clocks started later. */
uint64_t rdl_redlock_validity_end(const struct rdl_redlock *r);

/* The current state ends by then at the latest. */
void rdl_redlock_wake_by(struct rdl_redlock *r, uint64_t most_ms);

/* The clock of an attempt, an extend, a release runs from now. */
void rdl_redlock_start_asking(struct rdl_redlock *r, uint64_t now_ms);

/* ---------------------------------------------------------------- redlock_acquire.c */

/* Ask, if a majority of those whose votes count is there. */
int rdl_redlock_connect(struct rdl_redlock *r, uint64_t now_ms);
int rdl_redlock_evaluate_acquire(struct rdl_redlock *r, uint64_t now_ms);

/* ---------------------------------------------------------------- redlock_extend.c */

int rdl_redlock_evaluate_extend(struct rdl_redlock *r, uint64_t now_ms);
/*
 * Between operations: put it back where a straggler of the last extend says that it is gone; ask who
 * connected when a majority had granted it already, as long as that attempt would have lasted; raise the
 * fence of whoever granted it late.
 */
void rdl_redlock_mend(struct rdl_redlock *r, uint64_t now_ms);
/* The lease is over: everything is released. */
int rdl_redlock_lease_ended(struct rdl_redlock *r, int result, uint64_t now_ms);
/* RDL_OK, RDL_E_TTL, RDL_E_CAP. */
int rdl_redlock_may_extend(const struct rdl_redlock *r, uint32_t ttl_ms, uint64_t now_ms);

/* ---------------------------------------------------------------- redlock_guard.c */

/* Of a run_id the first digits, which tell one start of a server from any other; hex is terminated. */
enum { RDL_RUN_DIGITS = 16 };
uint64_t rdl_guard_run(const char *hex);
/* A server has had its data since then (our clock): when that is long enough. */
uint64_t rdl_guard_quarantine_end(const struct rdl_redlock *r, int64_t since_ms);
/* When what s grants begins to count: 0 already; UINT64_MAX never, and why, else RDL_OK. */
uint64_t rdl_guard_counts_at(const struct rdl_redlock *r, const struct rdl_server *s, int *why);

/* ---------------------------------------------------------------- redlock_vote.c */

/* Keep the conns going and take in what was answered. Returns when to come back at the latest. */
uint64_t rdl_votes_take_replies(struct rdl_redlock *r, uint64_t now_ms);
/* Forget the last operation's votes. */
void rdl_votes_clear(struct rdl_redlock *r);
/* Look at who is there: whose vote would count? Returns how many. */
unsigned rdl_votes_mark_eligible(struct rdl_redlock *r, uint64_t now_ms);
/* Ask those who are ready and have not been asked yet: the request is r->action. */
void rdl_votes_ask(struct rdl_redlock *r, uint64_t now_ms);
/*
 * Queue this for s: RDL_OK or RDL_E_FULL. until_ms: a key that it sets is gone by itself then; one to be
 * released, likewise. When a key ends that was adopted nobody knows, but what is put back ends by its ttl.
 */
int rdl_votes_submit(struct rdl_redlock *r, struct rdl_server *s, const struct rdl_op *op,
                     struct rdl_req *req, uint64_t until_ms);
/* Ask one of them this; it has no vote until it answers. */
void rdl_votes_send(struct rdl_redlock *r, struct rdl_server *s, const struct rdl_op *op, uint64_t now_ms);
/* Put the key back where it is gone. Returns how many were asked to. */
unsigned rdl_votes_repair(struct rdl_redlock *r, uint64_t now_ms);
/* Stop waiting for the answers that are out: RDL_E_TIMEOUT where an attempt is over, else RDL_E_ABANDONED. */
void rdl_votes_abandon(struct rdl_redlock *r, uint64_t now_ms);
/* The operation ends without the answers that are out, and takes them later: which of them are late? */
void rdl_votes_mark_late(struct rdl_redlock *r, uint64_t now_ms);
/* The operation ends with this result, which it returns. Nothing reserves room in a queue any more. */
int rdl_redlock_finish(struct rdl_redlock *r, int result);
/*
 * The lease is over or never was: queue the release that each server is owed, now, behind its SET. With
 * wait the answers become votes.
 */
void rdl_votes_release(struct rdl_redlock *r, int wait, uint64_t now_ms);
/* An attempt cannot win: the same, and the answers that are out are still taken in as votes. */
void rdl_votes_release_granted(struct rdl_redlock *r, uint64_t now_ms);
/* As rdl_votes_release, for those whose queue had no room for it, until the key is gone by itself. */
void rdl_votes_flush_releases(struct rdl_redlock *r, int wait, uint64_t now_ms);

/* ---------------------------------------------------------------- redlock_count.c */

/* The majority of the configured servers. */
inline unsigned rdl_redlock_quorum(const struct rdl_redlock *r)
{
    return r->n / 2u + 1u;
}
/* How long an attempt, an extend, a release that begins now waits for answers. */
uint32_t rdl_redlock_attempt_ms(const struct rdl_redlock *r);
/* How many conns are in this state. */
unsigned rdl_votes_count_conns(const struct rdl_redlock *r, enum rdl_conn_state state);
/* Connected, and barred by the restart guard for good. */
unsigned rdl_votes_count_ineligible(const struct rdl_redlock *r);
/* Servers that have it, however long, and count. */
unsigned rdl_votes_count_holding(const struct rdl_redlock *r);
/* Servers whose yes counts; for an extend: and that had the lock all the time. */
unsigned rdl_votes_count_yes(const struct rdl_redlock *r);
/* Servers that cannot become one in this attempt any more. */
unsigned rdl_votes_count_impossible(const struct rdl_redlock *r);
/* Servers where we had at least so much (CERTAINTY_...) when they were last heard. */
unsigned rdl_votes_count_certain(const struct rdl_redlock *r, unsigned least);
/* A release: servers that had it when they were last heard, or just deleted it. */
unsigned rdl_votes_count_held(const struct rdl_redlock *r);
/* Those that may yet turn out to have: a grant that was never heard. */
unsigned rdl_votes_count_maybe_held(const struct rdl_redlock *r);
/* A release: those that were not asked, as nothing of ours was ever granted there. */
unsigned rdl_votes_count_untouched(const struct rdl_redlock *r);
/* Those that are owed a release, or will be when the lease is over. */
unsigned rdl_votes_count_unreleased(const struct rdl_redlock *r);
/* After a refusal: in how many ms enough keys in the way are gone by themselves; UINT32_MAX: unknown. */
uint32_t rdl_votes_free_in_ms(const struct rdl_redlock *r);
/* Fenced: servers that know no scripts. To forbid them is another matter: RDL_E_PERM. */
unsigned rdl_votes_count_errors(const struct rdl_redlock *r, int error);
/* So many servers failed for good that trying again cannot reach a majority. */
int rdl_votes_are_permanent(const struct rdl_redlock *r);

#endif
