/* SPDX-License-Identifier: MIT */
/*
 * floor.h - the least possible work: write the same bytes to N sockets, poll, return at quorum. With one
 * server it does not poll: it sends and receives.
 *
 * No time, no errors, no votes: no program that uses N servers over sockets can cost less.
 */
#ifndef RDL_BENCH_FLOOR_H
#define RDL_BENCH_FLOOR_H

#include <poll.h>
#include <stddef.h>

enum { FLOOR_MAX = 7, FLOOR_TOKEN = 40 };

/* A request: its bytes, the positions of the token in them, and the number of lines in its reply. */
struct floor_text {
    char bytes[512];
    size_t len;
    size_t token_at;
    int lines;
};

struct floor {
    int n;
    struct pollfd fds[FLOOR_MAX];
    int pending[FLOOR_MAX]; /* lines that have not arrived yet */
    struct floor_text acquire, release;
    char token[FLOOR_TOKEN];
};

/* Connected to n ports of 127.0.0.1, 1 to FLOOR_MAX; 0, or -1. */
int floor_open(struct floor *f, const int *ports, int n);
void floor_close(struct floor *f);
/* Acquire and release, each answered by a majority. 0, or -1 if poll or a socket failed. */
int floor_cycle(struct floor *f);

#endif
