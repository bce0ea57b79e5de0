/* SPDX-License-Identifier: MIT */
/**
 * @file
 * @brief slots.h - at most N holders at a time: N locks, of which an acquire takes any one that is free.
 *
 * The slots of the lock LOCK are the locks {LOCK}#0, {LOCK}#1 and so on (a name with a brace keeps its own
 * tag). Each is an ordinary redlock, on one server or a majority, so no slot ever has two holders. LOCK
 * itself is a separate lock: one client can hold it while others hold slots.
 *
 *     rdl_redlock_init(&lock, &opt, servers, 3, RDL_NAME("resize"));
 *     rdl_slots_init(&slots, &lock, 5);
 *     int rc = rdl_slots_acquire(&slots, &platform);
 *     ...                                               slots.slot is its number; extend `lock` as usual
 *     rdl_redlock_release(&lock, &platform);
 *
 * Only an acquire is different. For all else, call the functions of redlock.h with `lock`.
 *
 * All clients must use the same N: one with a larger N takes slots that the others do not know.
 */
#ifndef RDL_SLOTS_H
#define RDL_SLOTS_H

#include "redlock/redlock.h"

/** @addtogroup libredlock_redlock
 * @{ */

#ifdef __cplusplus
extern "C" {
#endif

/** Limits of slots. */
enum {
    RDL_SLOTS_MAX = 64,                   /**< most slots of one lock */
    RDL_SLOTS_NAME_MAX = RDL_NAME_MAX - 5 /**< most bytes of its name: {}#63 are added */
};

/**
 * The slots of one lock, as one client sees them. Its members are private, except `slot`.
 *
 * It is in use as long as the redlock is (struct rdl_redlock). Do not move it: the redlock refers to it.
 */
struct rdl_slots {
    uint8_t slot; /**< the number of the slot that was acquired, 0 to N - 1; read-only */
    /** @cond private */
    uint8_t n;
    uint8_t name_len; /* without the slot's number */
    uint8_t stage;
    uint8_t reader;     /* the server that is read next */
    uint8_t asked;      /* the server that was read last */
    uint8_t full;       /* so many servers in a row showed no free slot */
    uint8_t is_reading; /* its reply is awaited */
    uint8_t is_once;    /* the options allow one attempt: until a majority showed no free slot */
    uint8_t read_for;   /* the attempt before which the slots were read, by its token */
    struct rdl_redlock *lock;
    const struct rdl_redlock_options *opt; /* the redlock's own */
    struct rdl_redlock_options once;       /* its options in such an acquire */
    uint64_t begun_ms;
    uint64_t until_ms; /* the end of the read */
    uint64_t free_ms;  /* a slot expires by then; 0: not known */
    uint32_t seed;
    struct rdl_req read;
    uint8_t entropy[RDL_ENTROPY_LEN];
    char name[RDL_NAME_MAX];
    /** @endcond */
};

/**
 * Makes a redlock one of the slots of its name.
 *
 * Call it after rdl_redlock_init() and rdl_redlock_set_canary(), before the first acquire. Slots have no
 * fencing token, because each slot would have its own counter, and no wake hint.
 *
 * @param s     the slots
 * @param lock  a redlock that was set up with the name of LOCK, 1 to RDL_SLOTS_NAME_MAX bytes; borrowed
 * @param n     N, the number of slots, 1 to RDL_SLOTS_MAX; all clients use the same
 * @return RDL_OK, or an error that acquire repeats: RDL_E_NAME (the name is too long), RDL_E_CONFIG (n is out
 *         of range, or the options have fencing), or that of rdl_redlock_init()
 */
int rdl_slots_init(struct rdl_slots *s, struct rdl_redlock *lock, unsigned n);

/**
 * Begins to acquire any free slot.
 *
 * Call rdl_slots_step() until it no longer returns RDL_PENDING.
 *
 * Before each attempt, it reads one server that has a vote, a different one each time, to find a free slot.
 * The read is only a hint: a majority still decides. If the server does not reply within the time of one
 * attempt, it tries a random slot. Once an attempt has failed and a majority shows no free slot, it pauses
 * before the next read; without lease.wait_ms or lease.retry_ms it returns RDL_BUSY instead.
 *
 * @param s        the slots; their redlock is not held
 * @param entropy  as for rdl_redlock_acquire_begin()
 * @param now_ms   the time in ms
 * @return RDL_PENDING, or at once a result of rdl_redlock_acquire_begin()
 */
int rdl_slots_acquire_begin(struct rdl_slots *s, const uint8_t entropy[RDL_ENTROPY_LEN], uint64_t now_ms);

/**
 * Continues an acquire. At all other times it is rdl_redlock_step().
 *
 * @param s       the slots
 * @param now_ms  the time in ms
 * @return RDL_PENDING, or the result: that of rdl_redlock_step(). RDL_BUSY: all slots are held
 */
int rdl_slots_step(struct rdl_slots *s, uint64_t now_ms);

/**
 * Returns when rdl_slots_step() must be called, even if no conn did anything.
 *
 * @param s  the slots
 * @return an absolute time in ms; UINT64_MAX: nothing is waited for
 */
uint64_t rdl_slots_wake_ms(const struct rdl_slots *s);

/**
 * Aborts an acquire, or releases the slot, in any state: rdl_redlock_cancel().
 *
 * @param s  the slots
 */
void rdl_slots_cancel(struct rdl_slots *s);

/**
 * Acquires any free slot. Blocks as long as rdl_redlock_acquire() may, plus the time of one attempt.
 *
 * @param s         the slots; their redlock is not held
 * @param platform  clock, random numbers and polling; not needed after the call
 * @return a result of rdl_redlock_acquire()
 */
int rdl_slots_acquire(struct rdl_slots *s, const struct rdl_platform *platform);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
