/* SPDX-License-Identifier: MIT */
/*
 * floor.h - the least there is to do: write the same bytes to N sockets, poll, return at quorum.
 *
 * No time, no errors, no votes: what it costs nobody can go below who talks to N servers over sockets.
 */
#ifndef RDL_BENCH_FLOOR_H
#define RDL_BENCH_FLOOR_H

#include <poll.h>
#include <stddef.h>

enum { FLOOR_N = 5, FLOOR_TOKEN = 40 };

/* A request: its bytes, where the token stands in them, and how many lines answer it. */
struct floor_text {
    char bytes[512];
    size_t len;
    size_t token_at;
    int lines;
};

struct floor {
    struct pollfd fds[FLOOR_N];
    int owed[FLOOR_N]; /* lines that have not come yet */
    struct floor_text acquire, release;
    char token[FLOOR_TOKEN];
};

/* Connected to these ports of 127.0.0.1; 0, or -1. */
int floor_open(struct floor *f, const int ports[FLOOR_N]);
void floor_close(struct floor *f);
/* Acquire and release, each answered by a majority. 0, or -1 if poll or a socket failed. */
int floor_cycle(struct floor *f);

#endif
