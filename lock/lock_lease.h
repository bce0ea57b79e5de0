/* SPDX-License-Identifier: MIT */
/*
 * lock_lease.h - what one lock and N locks have in common: the arithmetic of leases, tokens, checks.
 * For lock/, redlock/ and the command; nobody needs this to take locks.
 */
#ifndef RDL_LOCK_LEASE_H
#define RDL_LOCK_LEASE_H

#include "lock/lock.h"

/* What clocks may differ by over a lease: ceil(ttl/100) + 2 ms (1 % of rate, 1 ms rounding at each end). */
uint32_t rdl_drift_ms(uint32_t ttl_ms);
/* opt->attempt_ms or its default: what an attempt lasts at least. */
uint32_t rdl_attempt_ms(const struct rdl_lock_options *opt);
/* What it lasts where a round trip takes so long (0: not known). */
uint32_t rdl_attempt_over(const struct rdl_lock_options *opt, uint32_t rtt_ms);
/* RDL_OK, RDL_E_NAME or RDL_E_TTL. */
int rdl_options_check(const struct rdl_lock_options *opt, size_t name_len);
int rdl_ttl_check(const struct rdl_lock_options *opt, uint32_t ttl_ms);
/* The ttl to extend by: no less than the key has left, or what is owed would be forgotten before it ends. */
uint32_t rdl_ttl_longest(uint32_t ttl_ms, uint64_t end_ms, uint64_t now_ms);
/* Exactly one attempt; and when the waiting for more ends (UINT64_MAX: never). */
int rdl_is_one_attempt(const struct rdl_lock_options *opt);
uint64_t rdl_give_up_ms(const struct rdl_lock_options *opt, uint64_t now_ms);

/* -------------------------------------------------- tokens */

/* The bytes of another acquire: the number stays. */
void rdl_token_begin(struct rdl_token *t, const uint8_t entropy[RDL_ENTROPY_LEN]);
void rdl_token_next(struct rdl_token *t);
/* As it is on the wire, and back: RDL_OK, or RDL_E_TOKEN if these are no 40 hex digits. */
int rdl_token_from_hex(struct rdl_token *t, const char *hex, size_t len);
void rdl_token_hex(const struct rdl_token *t, char out[RDL_VALUE_MAX]);
/* What marks the key of l as ours, as it is on the wire, in any mode; how many bytes. */
size_t rdl_lock_value(const struct rdl_lock *l, char out[RDL_VALUE_MAX]);
/* A seed for rdl_backoff_ms, of all these bytes: those of two boards may differ in one alone. */
uint32_t rdl_token_seed(const uint8_t entropy[RDL_ENTROPY_LEN]);

/* -------------------------------------------------- lines for people (lock_report.c) */

struct rdl_line {
    char *out; /* NUL-terminated */
    size_t cap;
    size_t len;
};

/* Begins an empty line of at most cap - 1 bytes. What does not fit is cut. */
void rdl_line_begin(struct rdl_line *line, char *out, size_t cap);
void rdl_line_add(struct rdl_line *line, const char *text);
/* Adds text, and the duration as "27 ms". */
void rdl_line_add_ms(struct rdl_line *line, const char *text, uint32_t ms);
/* Adds what went wrong, and the server's own words if the error is from the server. */
void rdl_line_add_error(struct rdl_line *line, const struct rdl_conn *c, int error);
/* Adds that no reply came, and why. */
void rdl_line_add_no_reply(struct rdl_line *line, const struct rdl_conn *c, int error);
/* Adds that another client holds it; holder_ms as rdl_lock_holder_ms. */
void rdl_line_add_holder(struct rdl_line *line, int64_t holder_ms);
/* Adds how far a connection is that is not ready. */
void rdl_line_add_connecting(struct rdl_line *line, const struct rdl_conn *c);

/* -------------------------------------------------- numbers */

/* v in decimal, not terminated; how many digits. Bit by bit: small processors have no 64-bit division. */
enum { RDL_DEC64_MAX = 20 };
size_t rdl_dec_u64(char out[RDL_DEC64_MAX], uint64_t v);

#endif
