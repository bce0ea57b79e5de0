/* SPDX-License-Identifier: MIT */
/* fleet.h - one redlock on up to seven scripted servers, each in a mood of its own. */
#ifndef RDL_TESTS_FLEET_H
#define RDL_TESTS_FLEET_H

#include "redlock/redlock.h"
#include "tests/scripted.h"

enum { FLEET_TTL = 10000, FLEET_DRIFT = 102, FLEET_ATTEMPT = 250 };

/* What a server does from now on. */
enum mood {
    MOOD_UP,     /* answers at once */
    MOOD_FROZEN, /* gets everything, answers nothing until it is up again */
    MOOD_DOWN,   /* refuses connections; those it had are gone */
    MOOD_DEAF    /* the connection it has swallows what comes, without a word; a new one works */
};

struct fleet {
    struct scripted s[RDL_SERVERS_MAX];
    enum mood mood[RDL_SERVERS_MAX];
    struct rdl_server servers[RDL_SERVERS_MAX];
    struct rdl_redlock_options opt;
    struct rdl_redlock lock;
    size_t n;
};

extern struct fleet fleet;

/* n connected servers without a key, and a lock "k" that makes one attempt with a ttl of 10 s. */
void fleet_init(size_t n, uint64_t now_ms);
/* The same with this guard; all servers have been up for an hour, and seen for as long. */
void fleet_guarded(size_t n, enum rdl_guard guard, uint64_t now_ms);
/* Server i loses all and comes back at once. */
void fleet_restart(size_t i, uint64_t now_ms);
/* It loses its connection and refuses new ones; or is there again. */
void fleet_down(size_t i);
void fleet_up(size_t i);
/* It is up, and connected at once. */
void fleet_connect(size_t i, uint64_t now_ms);
/* Somebody else gets the key on server i (for 5 s); or our key is gone there. */
void fleet_steal(size_t i, uint64_t now_ms);
void fleet_delete(size_t i, uint64_t now_ms);
void fleet_command(size_t i, const char *inline_command, uint64_t now_ms);
/* To each server what its letter says: . nothing, f frozen, d down, s stolen, g gone, e errors, w deaf. */
void fleet_befall(const char *fates, uint64_t now_ms);
/* All are well again (but for who is down), and what was put off is done. */
void fleet_mend(uint64_t now_ms);
/* Server i does what was sent to it; then all of them. Connections that are wanted are made. */
void fleet_serve(size_t i, uint64_t now_ms);
void fleet_serve_all(uint64_t now_ms);
int fleet_acquire(uint64_t now_ms);
/* All serve and the lock steps until it is done; at *now_ms, which moves on when there is nothing to do. */
int fleet_run(int rc, uint64_t *now_ms);
/* How many servers have the key at now. */
unsigned fleet_keys(uint64_t now_ms);

#endif
