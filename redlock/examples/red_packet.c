/* SPDX-License-Identifier: MIT */
/*
 * red_packet.c - a red packet of shares, opened by many clients at once. Each share is taken at most once,
 * and no client takes two.
 *
 *     make && printf '%-6s %-16s\n' 88 - 12 - >packet
 *     build/examples/redlock/red_packet packet anna URL URL URL
 *
 * prints:
 *
 *     anna 88
 *
 * A share is a line of FILE, printf("%-6s %-16s\n", amount, "-"), with the name of its owner instead of "-".
 * FILE is an example of data that is read, checked and written in several steps, as on a shared disk or
 * through another company's interface. That needs a lock. If the packet were in Redis itself, one script with
 * LPOP and HSETNX would be enough; in a database, a conditional UPDATE.
 *
 * What it does not protect against: a holder that is paused after its last check of the lease, for longer
 * than the lease lasts, overwrites the shares that others took. If FILE matters, compare a fencing token
 * (lock/examples/fencing.c).
 *
 * Exit status: 0 a share was taken, 3 nothing is left, 4 NAME has one already, 1 no lock or no FILE, 2 usage.
 */
#include <stdio.h>
#include <string.h>

#include "redlock/redlock.h"

enum outcome { OURS = 0, FAILED = 1, USAGE = 2, NOTHING_LEFT = 3, HAS_ONE = 4, LEFT };

static const struct rdl_redlock_options opt = {
    .lease = {.ttl_ms = 10000, .wait_ms = 60000, .retry_ms = 50},
    .max_ttl_ms = 10000,
    .guard = RDL_GUARD_OFF, /* these servers lose nothing: appendfsync always */
};

/* Looks for a free share for this name. LEFT: found one; sets its amount, and where its line begins. */
static enum outcome look(const char *path, const char *name, char amount[7], long *there)
{
    enum outcome outcome = NOTHING_LEFT;
    char share[7], by[17];
    long at = 0;
    FILE *packet = fopen(path, "re");

    if (packet == NULL)
        return FAILED;
    for (; outcome != HAS_ONE && fscanf(packet, "%6s %16s\n", share, by) == 2; at = ftell(packet)) {
        if (strcmp(by, name) == 0) {
            outcome = HAS_ONE;
        } else if (outcome == NOTHING_LEFT && strcmp(by, "-") == 0) {
            outcome = LEFT;
            memcpy(amount, share, sizeof share);
            *there = at;
        }
    }
    fclose(packet);
    return outcome;
}

/* Writes the name on the share's line. */
static enum outcome take(const char *path, const char *name, const char *amount, long there)
{
    FILE *packet = fopen(path, "r+e");

    if (packet == NULL)
        return FAILED;
    int is_written = fseek(packet, there, SEEK_SET) == 0 && fprintf(packet, "%-6s %-16s", amount, name) > 0;
    return fclose(packet) == 0 && is_written ? OURS : FAILED;
}

/* Checks again under the lock what was found without it. */
static enum outcome take_under_lock(struct rdl_redlock *lock, const struct rdl_platform *platform,
                                    char **argv)
{
    char amount[7];
    long there;
    int rc = rdl_redlock_acquire(lock, platform);

    if (rc < 0) {
        fprintf(stderr, "no lock: %s\n", rdl_strerror(rc));
        return FAILED;
    }
    enum outcome outcome = look(argv[1], argv[2], amount, &there);
    if (outcome == LEFT && rdl_redlock_remaining_ms(lock, rdl_now(platform)) == 0)
        outcome = FAILED;
    if (outcome == LEFT)
        outcome = take(argv[1], argv[2], amount, there);
    if (outcome == OURS)
        printf("%s %s\n", argv[2], amount);
    rdl_redlock_release(lock, platform);
    rdl_redlock_drain(lock, platform, rdl_now(platform) + 1000);
    return outcome;
}

int main(int argc, char **argv)
{
    static struct rdl_posix_conn conns[3];
    struct rdl_server servers[3];
    struct rdl_redlock lock;
    struct rdl_posix posix;
    struct rdl_platform platform;
    char amount[7];
    long there;

    for (int i = 0; i < 3; i++) {
        if (argc != 6 || strlen(argv[2]) > 16 || strpbrk(argv[2], " -\n") != NULL ||
            rdl_posix_conn_init(&conns[i], argv[i + 3], NULL) != RDL_OK) {
            fprintf(stderr, "usage: red_packet FILE NAME URL URL URL, each redis://ADDRESS:PORT; "
                            "NAME has 16 letters at most\n");
            return USAGE;
        }
        servers[i].conn = &conns[i].conn;
    }
    enum outcome outcome = look(argv[1], argv[2], amount, &there);
    if (outcome == LEFT) { /* all other results are final: they need no lock */
        rdl_posix_init(&posix, &platform);
        rdl_redlock_init(&lock, &opt, servers, 3, RDL_NAME("red packet"));
        outcome = take_under_lock(&lock, &platform, argv);
    }
    if (outcome == FAILED)
        fprintf(stderr, "%s: nothing taken\n", argv[1]);
    return (int)outcome;
}
