/* SPDX-License-Identifier: MIT */
/*
 * subject.h - one lock of any kind on scripted servers, so that a test states a rule once for all kinds.
 *
 * Behind it are the model servers of tests/sim; nothing moves unless the test says so, and time is an
 * argument, always that of the client: what the servers' clocks show is something else. They know the scripts
 * already. What befalls the servers befalls as many as it takes to matter and no more: one of one, three of
 * five; of several names the last alone.
 */
#ifndef RDL_TESTS_SUBJECT_H
#define RDL_TESTS_SUBJECT_H

#include "redlock/redlock.h"
#include "tests/scripted.h"

enum subject_kind {
    SUBJECT_PX,
    SUBJECT_FENCED,
    SUBJECT_SEVERAL, /* three names */
    SUBJECT_REDLOCK_1,
    SUBJECT_REDLOCK_5,
    KINDS
};

enum { SUBJECT_SERVERS = 5, SUBJECT_TTL = 10000, SUBJECT_DRIFT = 102, SUBJECT_ATTEMPT = 250 };
/* How long somebody else has what he took. */
enum { SUBJECT_THEFT = 5000 };

/* What the servers that are hit do from now on. */
enum subject_mood {
    SUBJECT_UP,
    SUBJECT_FROZEN, /* take everything, do nothing until they are up again */
    SUBJECT_MUTE,   /* do it, and every answer gets lost; then the connection has to break */
    SUBJECT_DOWN,   /* the connection has ended, and no new one can be made */
    SUBJECT_DEAF    /* the connection swallows all without a word; a new one works */
};

/* A handle, of which two share the connections. */
struct subject_handle {
    struct rdl_lock lock;
    struct rdl_redlock redlock;
    struct rdl_server servers[SUBJECT_SERVERS];
    uint8_t packed[RDL_NAME_MAX];
};

struct subject {
    enum subject_kind kind;
    struct scripted s[SUBJECT_SERVERS];
    enum subject_mood mood[SUBJECT_SERVERS];
    size_t n;                       /* servers */
    size_t hit;                     /* of which so many are hit: a majority, and the first ones */
    struct rdl_redlock_options opt; /* .lease is that of the single locks too */
    struct sim_features features;   /* of all servers */
    struct subject_handle handle[2];
    struct subject_handle *h; /* whose turn it is */
    unsigned begins;          /* acquires so far: each begins with random bytes of its own */
    uint64_t start_ms;        /* when the servers were started, by the client's clock */
    uint64_t preflight;       /* commands that a new connection costs, on all servers together */
};

extern struct subject subject;

/*
 * Connected servers without a key, which have served before, and handle 0: one attempt, ttl 10 s, attempt
 * 250 ms.
 */
void subject_init(enum subject_kind kind, uint64_t now_ms);
/* The same, but no connection was ever made. */
void subject_init_closed(enum subject_kind kind, uint64_t now_ms);
/* It waits for up to wait_ms, with pauses that begin at 50 ms. */
void subject_patient(uint32_t wait_ms);
/* This name for the handle (of several: for the last of them). */
void subject_rename(const void *name, size_t len);
/* Whose turn it is, 0 or 1. */
void subject_turn(int i);
/* A lock of N servers. */
int subject_is_redlock(void);

/* ---------------------------------------------------------------- the handle */

int subject_acquire_begin(uint64_t now_ms);
int subject_extend_begin(uint32_t ttl_ms, uint64_t now_ms);
int subject_release_begin(uint64_t now_ms);
int subject_step(uint64_t now_ms);
void subject_cancel(void);
int subject_adopt(const char *hex, size_t len);
/* Terminated; one of a few static buffers. */
const char *subject_token(void);
uint32_t subject_remaining_ms(uint64_t now_ms);
uint64_t subject_wake_ms(void);
/* After an operation without an answer: why; differs: RDL_OK of a redlock, which says it of each server. */
int subject_cause(void);
/* The number of the last attempt, which its token ends with. */
unsigned long subject_attempt(void);
/* Nothing is out, and nothing owed. */
int subject_is_idle(void);

/*
 * The servers do what was sent and the handle steps until the operation ends; *now_ms moves on when there is
 * nothing to do. When it wakes is never in the past for long, and never "never".
 */
int subject_run(int rc, uint64_t *now_ms);
int subject_acquire(uint64_t *now_ms);
int subject_extend(uint32_t ttl_ms, uint64_t *now_ms);
int subject_release(uint64_t *now_ms);
/* Acquired at *now_ms, and all servers have said so. */
void subject_hold(uint64_t *now_ms);

/* ---------------------------------------------------------------- the servers */

/* All do what was sent, each in its mood; who closes is closed, who wants to open is opened. */
void subject_serve(uint64_t now_ms);
/* This befalls those that are hit. */
void subject_befall(enum subject_mood mood);
/* All are up and connected, and what was put off is done; at now_ms, however long a connection pauses. */
void subject_settle(uint64_t now_ms);
/* Somebody else has it where it takes; it is gone there. */
void subject_steal(uint64_t now_ms);
void subject_forget(uint64_t now_ms);
/* Keys with this token are put there (for ttl_ms), on all servers. */
void subject_plant(const char *hex, unsigned ttl_ms, uint64_t now_ms);
/* How many keys somebody took by subject_steal stand there; how many others; how many there are if held. */
unsigned subject_stolen(uint64_t now_ms);
unsigned subject_keys(uint64_t now_ms);
unsigned subject_all_keys(void);
/* All keys there are have this token. */
int subject_keys_are(const char *hex, uint64_t now_ms);
/* Commands that the servers were given by now. */
uint64_t subject_commands(void);

#endif
