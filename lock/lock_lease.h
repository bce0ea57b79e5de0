/* SPDX-License-Identifier: MIT */
/*
 * lock_lease.h - what one lock and N locks have in common: the arithmetic of leases, lock tokens, checks.
 *
 * For lock/, redlock/ and the command. A program does not need it to take locks.
 */
#ifndef RDL_LOCK_LEASE_H
#define RDL_LOCK_LEASE_H

#include "lock/lock.h"
#include "resp/resp_bytes.h"

/* Returns how far two clocks may drift apart during a lease: ceil(ttl/100) + 2 ms (DESIGN.md, section 1). */
/*@ assigns \nothing;
    ensures 100 * (\result - 2) >= ttl_ms && 100 * (\result - 2) < ttl_ms + 100; */
uint32_t rdl_drift_ms(uint32_t ttl_ms);
/* Returns the ttl of an acquire: opt->ttl_ms or its default. */
uint32_t rdl_first_ttl_ms(const struct rdl_lock_options *opt);
/* Returns the shortest time of an attempt: opt->attempt_ms or its default. */
uint32_t rdl_attempt_ms(const struct rdl_lock_options *opt);
/* Returns the time of an attempt on a network with this round trip (0: not known). */
uint32_t rdl_attempt_ms_for_rtt(const struct rdl_lock_options *opt, uint32_t rtt_ms);
/* Checks the options and the length of a name. Returns RDL_OK, RDL_E_NAME or RDL_E_TTL. */
int rdl_options_check(const struct rdl_lock_options *opt, size_t name_len);
/* Checks a ttl. Returns RDL_OK or RDL_E_TTL. */
int rdl_ttl_check(const struct rdl_lock_options *opt, uint32_t ttl_ms);
/*
 * Returns the ttl to extend by: no less than the key has left. Otherwise a pending release would be dropped
 * before the key expires.
 */
uint32_t rdl_ttl_longest(uint32_t ttl_ms, uint64_t end_ms, uint64_t now_ms);
/* Returns whether the options allow exactly one attempt. */
int rdl_is_one_attempt(const struct rdl_lock_options *opt);
/* Returns the deadline for further attempts (UINT64_MAX: none). */
uint64_t rdl_give_up_ms(const struct rdl_lock_options *opt, uint32_t connect_ms, uint64_t now_ms);

/* -------------------------------------------------- pauses between attempts */

/*
 * Returns whether the key changed hands since the last refusal, or was renewed: its expiry moved by more than
 * two replies can differ. holder_ms: for how long it still lives; *ends_ms: the low 32 bits of its expiry, in
 * and out.
 */
int rdl_has_changed_hands(uint32_t *ends_ms, uint32_t holder_ms, uint32_t rtt_ms, uint64_t now_ms);
/*
 * Returns a random pause, which ends soon after the holder's key: not at once, or all waiting clients would
 * try in the same millisecond. holder_ms: for how long it still lives; UINT32_MAX: not known.
 */
uint32_t rdl_pause_ms(uint32_t *seed, uint32_t base_ms, unsigned tries, uint32_t holder_ms);

/* -------------------------------------------------- lock tokens */

/* Sets the 16 bytes of a new acquire. The counter continues. */
void rdl_token_begin(struct rdl_token *t, const uint8_t entropy[RDL_ENTROPY_LEN]);
/* Increments the counter: the lock token of the next attempt. */
void rdl_token_next(struct rdl_token *t);
/* Reads a lock token from hex digits. Returns RDL_OK, or RDL_E_TOKEN if these are not 40 hex digits. */
int rdl_token_from_hex(struct rdl_token *t, const char *hex, size_t len);
/* Writes a lock token as it is on the wire: 40 hex digits, not terminated. */
void rdl_token_hex(const struct rdl_token *t, char out[RDL_VALUE_MAX]);
/* Writes the lock value of l as it is on the wire, in any mode, and a NUL. Returns its length. */
size_t rdl_lock_value(const struct rdl_lock *l, char out[RDL_TOKEN_TEXT_MAX]);
/* Computes a seed for rdl_backoff_ms from all bytes: those of two boards may differ in only one. */
static inline uint32_t rdl_token_seed(const uint8_t entropy[RDL_ENTROPY_LEN])
{
    return rdl_hash(RDL_HASH_BASE, entropy, RDL_ENTROPY_LEN);
}

/* -------------------------------------------------- numbers */

enum { RDL_DEC64_MAX = 20 };
/*
 * Writes v in decimal, not terminated. Returns the number of digits. It works bit by bit, because small
 * processors have no 64-bit division.
 */
size_t rdl_dec_u64(char out[RDL_DEC64_MAX], uint64_t v);

#endif
