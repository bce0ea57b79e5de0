/* SPDX-License-Identifier: MIT */
/* replies.h - what servers replied to an operation, as text and as an exit status. */
#ifndef RDL_CLI_SERVERS_REPLIES_H
#define RDL_CLI_SERVERS_REPLIES_H

#include "redlock/cli/servers/lock.h"

/* Writes in one line why servers made the operation end with rc: "127.0.0.1:6379: refused: ...; ..." */
void rdl_cli_lock_reports(const struct rdl_cli_lock *l, int rc, char *out, size_t cap);

/* Writes why the first server failed, for an acquire without a majority; "": none has failed yet. */
void rdl_cli_lock_first_report(const struct rdl_cli_lock *l, char *out, size_t cap);

/* Returns what server i did: "127.0.0.1:6379: confirmed in 1 ms", until the next call. */
const char *rdl_cli_lock_report(const struct rdl_cli_lock *l, size_t i);
/* Writes the same without the address. */
void rdl_cli_lock_said(const struct rdl_cli_lock *l, size_t i, char *out, size_t cap);

/* Returns 1 if server i fails until an administrator fixes it; 0 if it is down, and may come back. */
int rdl_cli_lock_is_final(const struct rdl_cli_lock *l, size_t i);

/* Prints, with -v, what each server did, one line for each. */
void rdl_cli_lock_note_servers(const struct rdl_cli_lock *l);

/* Returns 1 if another client holds the lock on at least one server. */
int rdl_cli_lock_is_denied(const struct rdl_cli_lock *l);

/* Returns 1 if a server that got a request has not replied, and still may. */
int rdl_cli_lock_is_unanswered(const struct rdl_cli_lock *l);

/* Returns when a majority replied to the last attempt; 0: none did. */
uint64_t rdl_cli_lock_heard_ms(const struct rdl_cli_lock *l);

/* Prints why there is no majority, and returns the exit status; 0, printing nothing: it may still come. */
int rdl_cli_lock_verdict(const struct rdl_cli_lock *l);

/* Returns 1 if we may not open descriptors for a majority: that is permanent. */
int rdl_cli_lock_is_starved(const struct rdl_cli_lock *l);

/*
 * Prints why an extend or a release of a token ended with rc, and returns the exit status. done: "extended".
 */
int rdl_cli_lock_not_done(const struct rdl_cli_lock *l, int rc, const char *done);

/* Writes the fix for round trips that are too long for an attempt: "give --attempt 1.2s". */
void rdl_cli_attempt_remedy(uint64_t trip_ms, uint32_t ttl_ms, char *out, size_t cap);

/* Returns how long -n waits for the first reply of a server that connects. */
uint32_t rdl_cli_silence_ms(const struct rdl_cli_lock *l);
int rdl_cli_lock_no_quorum(const struct rdl_cli_lock *l, int status, uint64_t waited_ms);

/* Return in how many ms, and s, enough servers are out of quarantine. */
uint64_t rdl_cli_lock_quarantine_ms(const struct rdl_cli_lock *l);
unsigned long rdl_cli_lock_quarantine_s(const struct rdl_cli_lock *l);

/* Return why servers are in quarantine, and the advice for servers that lose nothing. */
const char *rdl_cli_lock_too_recently(const struct rdl_cli_lock *l);
const char *rdl_cli_lock_remedy(const struct rdl_cli_lock *l);

/* Prints `what`, which failed, and then why servers are in quarantine, for how long, and the advice. */
void rdl_cli_lock_quarantined(const struct rdl_cli_lock *l, const char *what);

#endif
