/* SPDX-License-Identifier: MIT */
/*
 * quorum.h - up to seven real servers, and handles on a lock there, for tests that hurt the servers.
 *
 * The servers keep nothing on disk. Handles have connections of their own each, and the restart guard off:
 * with it servers that were just started do not count. What cannot be done fails the test.
 */
#ifndef RDL_TESTS_QUORUM_H
#define RDL_TESTS_QUORUM_H

#include "redlock/redlock.h"
#include "tests/live/client.h"
#include "tests/live/servers.h"

enum {
    QUORUM_TTL = 20000,
    QUORUM_MAX_TTL = 60000,
    QUORUM_PATIENT_MS = 5000, /* an attempt: a busy machine is no reason to fail */
    QUORUM_HASTY_MS = 100     /* one that is to find servers stalled */
};

extern struct live_server quorum_live[RDL_SERVERS_MAX];
extern int quorum_n;

/* Start n servers; what was set in quorum_live before is heeded. */
void quorum_start(int n);
/* Remove them all; a fixture's teardown. */
void quorum_stop(void);
/* Do this to servers [from, from + n). */
void quorum_hurt(int from, int n, void (*how)(struct live_server *s));
/* How many of the running servers have the key. */
int quorum_keys(void);

struct party {
    struct client clients[RDL_SERVERS_MAX];
    struct rdl_server servers[RDL_SERVERS_MAX];
    struct rdl_redlock_options opt;
    struct rdl_redlock lock;
};

/* A handle on "nightly" at all servers, not connected yet, that makes one patient attempt. */
void party_init(struct party *p);
/* Server i is somewhere else for this one; after party_init. */
void party_move(struct party *p, int i, const char *url);
/* Until server i is connected, or all are. */
void party_connect(struct party *p, int i);
void party_connect_all(struct party *p);

int party_acquire(struct party *p);
int party_extend(struct party *p, uint32_t ttl_ms);
int party_release(struct party *p);
uint32_t party_remaining(const struct party *p);
/* Until server i has answered what it was asked, or cannot be asked. */
void party_hear(struct party *p, int i);
/* Everything that is owed has been done, all answers are in. Does not end while a server is away. */
void party_drain(struct party *p);

#endif
