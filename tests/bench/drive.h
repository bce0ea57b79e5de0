/* SPDX-License-Identifier: MIT */
/*
 * drive.h - the protocol of `make bench`, for clients in C: a program that acquires and releases as often as
 * its standard input says. bench.py has the other side, and describes the protocol.
 */
#ifndef RDL_BENCH_DRIVE_H
#define RDL_BENCH_DRIVE_H

#include <stddef.h>

enum { DRIVE_SERVERS_MAX = 7, DRIVE_TTL_MS = 30000, DRIVE_KEY_MAX = 64 };

struct drive_options {
    int ports[DRIVE_SERVERS_MAX]; /* of 127.0.0.1 */
    int n;
    char key[DRIVE_KEY_MAX]; /* of lock 0; lock i has the key drive_key() */
    size_t locks;
    int is_waiting; /* 1: acquire retries while the lock is held elsewhere */
};

/* A client under test. acquire and release return 1: done, 0: failed. */
struct drive {
    int (*open)(const struct drive_options *opt); /* 0, or -1 */
    int (*acquire)(size_t i);
    int (*release)(size_t i);
};

/* The arguments are ports, up to DRIVE_SERVERS_MAX. Serves until standard input ends; the exit status. */
int drive_main(const struct drive *client, int argc, char **argv);
void drive_key(const struct drive_options *opt, size_t i, char out[DRIVE_KEY_MAX + 24]);
/* A token in hex that was not used before, and a NUL. */
enum { DRIVE_TOKEN = 40 };
void drive_token(char out[DRIVE_TOKEN + 1]);

/* Deletes a key whose value is the token. */
#define DRIVE_SCRIPT                                                                                         \
    "if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end"

#endif
