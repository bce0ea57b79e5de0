/* SPDX-License-Identifier: MIT */
/* lock.h - the lock on N servers, or one or several locks on one. */
#ifndef RDL_CLI_SERVERS_LOCK_H
#define RDL_CLI_SERVERS_LOCK_H

#include "lock/lock_hint.h"
#include "lock/lock_legacy.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/servers/connections.h"
#include "redlock/redlock_owner.h"
#include "redlock/slots.h"

#include <sys/types.h>

/* As rdl_stats, with wider counters. */
struct rdl_cli_stats {
    uint32_t attempts, refused;
};

struct rdl_cli_lock {
    const struct rdl_cli_options *o;
    struct rdl_cli_servers *servers;
    struct rdl_redlock_options opt;
    struct rdl_redlock redlock;    /* with several locks: only its restart guard is used */
    struct rdl_slots slots;        /* of the redlock, with --slots */
    struct rdl_lock_legacy single; /* used instead with is_single; only its .lock without is_legacy */
    struct rdl_owner owner;
    struct rdl_hint hint;
    struct rdl_canary canaries[RDL_SERVERS_MAX];
    int is_single;                /* --legacy, or several locks */
    int is_legacy;                /* uses the old protocol now */
    uint64_t since_ms;            /* several locks: held since; 0: not held, or adopted */
    uint8_t packed[RDL_NAME_MAX]; /* several locks: their names */
    int is_acquiring;             /* the single lock's operation, and its result; RDL_PENDING: it goes on */
    int result;
    uint64_t reached_ms; /* while waiting: when a majority could last reply */
    uint64_t asked_ms;   /* for --log: waiting since, and held since; 0: never */
    uint64_t got_ms;
    struct rdl_cli_stats before; /* of all acquires before the last */
    size_t n_conns;              /* number of servers->conns: with a hint, one more than servers */
    uint8_t entropy[RDL_ENTROPY_LEN];
    struct rdl_posix posix;
    struct rdl_platform platform;
    pid_t parent;  /* hold ends when this process ends; 0: none */
    int is_orphan; /* that process has ended */
};

/* Sets up the lock. l->o, servers, opt and platform are set. */
void rdl_cli_lease_init(struct rdl_cli_lock *l);

/* Adopts the lock of this token, to extend or release it; not with the old protocol. */
void rdl_cli_lease_adopt(struct rdl_cli_lock *l, const char token[RDL_TOKEN_TEXT_MAX]);

/* Copies the token of the lease, with its owner and a NUL; of the old protocol, its value. */
void rdl_cli_lease_token(const struct rdl_cli_lock *l, char out[RDL_TOKEN_TEXT_MAX]);

/*
 * Waits for servers that the majority did not wait for, after a release or when the lease is left to run out.
 * They have one attempt's time to reply, including the time to connect.
 */
void rdl_cli_lease_finish(struct rdl_cli_lock *l);

/* Operations of the lock. Their results are those of a redlock. */
int rdl_cli_lease_acquire(struct rdl_cli_lock *l);
int rdl_cli_lease_extend(struct rdl_cli_lock *l, uint64_t now_ms);
int rdl_cli_lease_release(struct rdl_cli_lock *l, uint64_t now_ms);
int rdl_cli_lease_step(struct rdl_cli_lock *l);
uint64_t rdl_cli_lease_until_ms(const struct rdl_cli_lock *l);

/* Returns the cost so far, of all acquires together. */
struct rdl_cli_stats rdl_cli_lease_stats(const struct rdl_cli_lock *l);

/* Returns the owner of the lease, valid until the next call; "": none. */
const char *rdl_cli_lease_owner(const struct rdl_cli_lock *l);

/* Returns our id for people, as rdl_cli_seen.id. With the old protocol, each renewal changes it. */
uint32_t rdl_cli_lease_id(const struct rdl_cli_lock *l);

/* Returns 1 if --max-hold refuses a renewal at this time. */
int rdl_cli_lease_is_capped(const struct rdl_cli_lock *l, uint64_t now_ms);

/* Returns when the rest of --keep is over; 0: the option is not given. */
uint64_t rdl_cli_lease_keep_ms(const struct rdl_cli_lock *l);

/* Returns the fencing token of the lease; 0: none, or not requested. */
uint64_t rdl_cli_lease_fence(const struct rdl_cli_lock *l);

/* Returns 1 if the last operation was a release. */
int rdl_cli_lease_is_releasing(const struct rdl_cli_lock *l);

/* Aborts the operation and releases the lock. Releases get a moment to be sent. */
void rdl_cli_lease_cancel(struct rdl_cli_lock *l);

/* Returns why server i gave no useful reply; RDL_OK: it did, or there is no reason. */
int rdl_cli_lease_error(const struct rdl_cli_lock *l, size_t i);
void rdl_cli_lease_report(const struct rdl_cli_lock *l, size_t i, char *out, size_t cap);

/* Returns "one of ", "a slot of " if the lock's name in a message means several locks, otherwise "". */
const char *rdl_cli_one_of(const struct rdl_cli_options *o);

/* Returns the text that follows the lock's name if the key in the way never expires. */
const char *rdl_cli_lease_endless(const struct rdl_cli_lock *l);

/* Warns that the key stays after a release (RDL_OVERWRITTEN), and prints what to do. */
void rdl_cli_lease_overwritten(const struct rdl_cli_lock *l);

uint64_t rdl_cli_now(const struct rdl_cli_lock *l);

/*
 * Services the connections until until_ms, until something happened or, with can_wake, until a signal came;
 * then steps. A signal remains to be read: without can_wake it does not end every wait at once. Returns
 * RDL_PENDING or a result.
 */
int rdl_cli_lease_turn(struct rdl_cli_lock *l, uint64_t until_ms, int can_wake);

#endif
