/* SPDX-License-Identifier: MIT */
/* held_lease.h - a lease that is held: its renewals and its end. */
#ifndef RDL_CLI_SERVERS_HELD_LEASE_H
#define RDL_CLI_SERVERS_HELD_LEASE_H

#include "redlock/cli/servers/lock.h"
#include "redlock/redlock.h"

struct rdl_cli_held {
    struct rdl_cli_lock *lock;
    struct rdl_renewal renewal;
    uint64_t until_ms; /* end of the lease as last confirmed; 0: it is lost */
    int renewing;
    int is_renewed;    /* the last operation was a renewal */
    int failures;      /* failed renewals in a row */
    int lost;          /* the lease is lost, and that was printed */
    int is_refused;    /* --max-hold refused a renewal, and that was printed */
    char reason[1500]; /* why the last renewal that failed did: its servers */
};

/* Begins to hold l, which was just granted. h is zero. */
void rdl_cli_held_begin(struct rdl_cli_held *h, struct rdl_cli_lock *l);

/* Reads the servers' replies, and begins the renewal that is due. Returns 1 if until_ms is later now. */
int rdl_cli_held_renew(struct rdl_cli_held *h);

/* Returns when the next renewal is due; UINT64_MAX: none, or one is under way. */
uint64_t rdl_cli_held_wake_ms(const struct rdl_cli_held *h, uint64_t now);

/* Records that the lease is lost, and prints it once. */
void rdl_cli_held_lose(struct rdl_cli_held *h, const char *why);

/*
 * Decides what to do with a lease that is no longer needed and not lost. Returns 1 if --keep is not over:
 * then the lease is left to run out, which is printed with `why`. Returns 0 to release it.
 */
int rdl_cli_keep(struct rdl_cli_lock *l, const char *why);

/*
 * Releases the lock, and warns if it was already gone. For a lost lease, it releases the keys that are left.
 * Returns 1 if another client held it within the validity, after it printed that.
 */
int rdl_cli_give_back(struct rdl_cli_lock *l, int lost);

/* Prints that the system refused to do `what` (errno), releases the lock, and returns RDL_EXIT_OS. */
int rdl_cli_give_back_refused(struct rdl_cli_lock *l, const char *what);

/* Releases the lock after rdl_cli_token_write failed, and returns its status. A signal ends the process. */
int rdl_cli_give_back_unread(struct rdl_cli_lock *l, int status);

#endif
