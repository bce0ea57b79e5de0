/* SPDX-License-Identifier: MIT */
/*
 * api.h - the small world of fuzz_api.c: up to five servers, a connection to each and a second one to the
 * first, four handles, one clock. Each object that the library may refer to is an allocation of its own, of
 * exactly its size. It is allocated when its comment in the public headers says that its life begins, and
 * freed when that says that it may end.
 */
#ifndef RDL_FUZZ_API_H
#define RDL_FUZZ_API_H

#include "lock/lock_fenced.h"
#include "lock/lock_hint.h"
#include "lock/lock_legacy.h"
#include "lock/lock_multi.h"
#include "redlock/redlock.h"
#include "tests/sim/server.h"

enum { SERVERS = 5, HINT_PEER = SERVERS, PEERS, HANDLES = 4 };

/* An input is records of four bytes. The first describes the world, each other is a call. */
enum { RECORD = 4 };
struct record {
    uint8_t op, who, a, b;
};

/*
 * What happens in the world; these may also happen while a function blocks. Then the calls to a handle. The
 * order matters: the corpus has these numbers.
 */
enum op {
    DO_NOTHING,
    DO_PASS,      /* time, with no call */
    DO_RUN,       /* time, with a loop that does all that is due */
    DO_DRIVE,     /* a driver does all that a connection wants */
    DO_DRIVE_ALL, /* the same for all of them */
    DO_TICK,      /* one call each */
    DO_OPEN,
    DO_SEND,
    DO_SERVE,
    DO_RECEIVE,
    DO_CUT,
    DO_RAW,       /* any bytes from the server */
    DO_WORD,      /* a whole reply that the server did not send */
    DO_ERROR,     /* the server refuses the next command, and does not run it */
    DO_CONDITION, /* a server changes its mood */
    DO_RESTART,   /* a server restarts, or loses its data */
    DO_MAKE_CONN, /* a connection is set up again, in other memory */
    DO_FAIL_POLL, /* the next poll, or the next request for random bytes, fails */
    DO_OTHER,     /* another client's command */
    WORLD_OPS,    /* ---- from here on the calls of a handle */
    DO_MAKE = WORLD_OPS,
    DO_ACQUIRE,
    DO_EXTEND,
    DO_RELEASE,
    DO_STEP,
    DO_CANCEL,
    DO_ADOPT,
    DO_QUERY,
    DO_SET,   /* its hint, its least fencing token, its clock */
    DO_FREE,  /* one that is not in use */
    DO_BLOCK, /* a blocking function */
    DO_RENEWAL,
    DO_SHARE, /* another redlock is set up with its servers[] */
    OPS
};

/* ---------------------------------------------------------------- world.c, peer.c */

enum { WIRE_UP = 4096, WIRE_DOWN = 8192 };

/* A connection: our side, the server's side, and the bytes on the way. */
struct peer {
    struct rdl_conn *conn;
    struct rdl_conn_config *cfg;
    struct rdl_endpoint *endpoint;
    uint64_t *queue;
    struct rdl_server_info *info;
    char *text;
    char *password;
    char *name;
    struct sim_server *server;
    struct sim_session session;
    uint8_t up[WIRE_UP]; /* sent, and not yet executed */
    size_t up_len;
    uint8_t down[WIRE_DOWN]; /* replies that have not arrived */
    size_t down_len;
    uint8_t is_up;    /* it has a transport */
    uint8_t is_down;  /* the server refuses connections */
    uint8_t is_quiet; /* it executes nothing until it no longer is */
};

struct world {
    uint64_t now;
    uint64_t late;    /* until then handles that wait were not stepped */
    uint64_t slept;   /* the same, but a function that blocks did see it */
    int is_true;      /* each reply is true, no server has lost data, no client broke a rule */
    unsigned servers; /* of each redlock */
    uint32_t db;
    uint8_t has_password;
    int poll_error;   /* of the next poll */
    int random_error; /* of the next request for random bytes */
    unsigned polls;   /* of this blocking call */
    uint64_t entropies;
    const uint8_t *at; /* the input that is left */
    const uint8_t *end;
    struct sim_server server[SERVERS];
    struct peer peer[PEERS];
};

extern struct world world;

/* The servers' clocks show the Unix time, ours does not. */
static inline uint64_t server_ms(uint64_t ms)
{
    return ms + 1700000000000u;
}

void must(int holds);
/* An allocation of exactly this size, zeroed. */
void *make(size_t size);

void world_start(struct record r);
/* All servers are well; the connections carry what is left, and must be idle in the end. */
void world_drain(void);
void world_free(void);
/* Takes the next record of the input. 0: there is none, or is_world and it is none of WORLD_OPS. */
int world_next(struct record *r, int is_world);
void world_do(struct record r);
/* A driver does all that the connections want. Returns whether anything happened. */
int world_drive_all(void);
/* Runs all timers of the connections. Returns when the next is due. */
uint64_t world_tick_all(void);
/* The platform of the blocking functions. Its poll takes what happens from the input. */
extern const struct rdl_platform world_platform;
/* A server's reply is not true, or it has lost data. */
void world_lies(void);

/* ---------------------------------------------------------------- handle.c */

void handles_start(void);
/* One of DO_MAKE to the last. */
void handle_do(struct record r);
/* Steps the handles that wait, or all; returns when the next is due. */
uint64_t handles_step(void);
/* What holds between any two calls. */
void handles_check(void);
/* A conn ends: is any handle in use that was set up with it? Frees the others. */
int handles_leave(const struct rdl_conn *c);
/* Cancels and frees all. */
void handles_end(void);

#endif
