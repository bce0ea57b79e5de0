/* SPDX-License-Identifier: MIT */
/*
 * demo.h - `make demo`: eight processes share one file and one lock on five servers, one of which dies.
 *
 *     demo.c           what happens, in its order
 *     demo_servers.c   five servers: start, kill, start again
 *     demo_work.c      the eight processes; this is where the library is used
 *     demo_picture.c   what it looked like, as text
 *     demo_svg.c       and as an SVG picture
 */
#ifndef RDL_DEMO_H
#define RDL_DEMO_H

#include <stdint.h>
#include <sys/types.h>

enum {
    SERVERS = 5,
    WORKERS = 8,
    ROUNDS = 50,
    HOLDS = WORKERS * ROUNDS,
    TTL_MS = 2000,
    WORK_US = 8000,  /* the time of an update: read, think, write */
    REST_US = 50000, /* the average pause between two updates */
    PATH_LEN = 512
};

/* One acquisition; times in us since the start of the run. */
struct hold {
    int worker;
    int64_t requested_us;
    int64_t got_us;
    int64_t done_us;
};

/* Memory shared by the processes. */
struct board {
    int64_t start_us;     /* of the run, by demo_now_us */
    volatile int updates; /* made by all, by their own count */
    struct hold hold[HOLDS];
};

struct servers {
    const char *what; /* its name, for people */
    char program[PATH_LEN];
    int is_standin;
    char dir[PATH_LEN];
    int port[SERVERS];
    pid_t pid[SERVERS]; /* 0: down */
};

struct story {
    int victim;
    int64_t killed_us;
    int64_t back_us; /* 0: it did not restart in time */
    int64_t end_us;
    int with; /* updates in the file at the end: with the lock, and without it */
    int without;
};

int64_t demo_now_us(void);
void demo_sleep_us(int64_t us);

/*
 * Returns -1 after printing why. program_dir is the directory of `standin`; use_standin: even if there are
 * others.
 */
int demo_servers_start(struct servers *s, const char *dir, const char *program_dir, int use_standin);
int demo_server_start(struct servers *s, int i);
void demo_server_kill(struct servers *s, int i);
void demo_servers_kill(struct servers *s);
/* fork; the child dies with this process. */
pid_t demo_fork(void);

/* ROUNDS updates of the file by process number `worker`; with locked, under the lock. Returns 0 or 1. */
int demo_work(struct board *b, const struct servers *s, int worker, int locked, const char *file);

void demo_picture(const struct board *b, const struct story *t);
/* Write the run to this file as an SVG picture; 0, or -1 with errno set. */
int demo_svg(const struct board *b, const struct story *t, const char *path);
/* Pairs of holds that overlap. */
int demo_overlaps(const struct board *b);

#endif
