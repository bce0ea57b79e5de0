/* SPDX-License-Identifier: MIT */
/*
 * drive_floor.c PORT... - the least program that locks with a token and a ttl: SET NX PX, and a script that
 * compares and deletes. It checks no reply. It has one lock.
 */
#define _GNU_SOURCE
#include "tests/bench/drive.h"
#include "tests/bench/floor.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static struct floor least;

/* The token begins with a mark. */
static void finish_text(struct floor_text *t, int len)
{
    const char *token = strchr(t->bytes, '@');

    t->len = (size_t)len;
    t->token_at = token != NULL ? (size_t)(token - t->bytes) : 0;
    t->lines = 1;
}

/* Its digest is the reply: $40, and the digest in the next line. */
static int load_script(char sha[64])
{
    char text[512], reply[128];
    int len = snprintf(text, sizeof text, "*3\r\n$6\r\nSCRIPT\r\n$4\r\nLOAD\r\n$%zu\r\n%s\r\n",
                       sizeof DRIVE_SCRIPT - 1, DRIVE_SCRIPT);

    for (int i = 0; i < least.n; i++) {
        ssize_t n;
        if (send(least.fds[i].fd, text, (size_t)len, MSG_NOSIGNAL) != len)
            return -1;
        n = recv(least.fds[i].fd, reply, sizeof reply - 1, 0);
        reply[n > 0 ? n : 0] = '\0';
        if (sscanf(reply, "$40\r\n%40[0-9a-f]", sha) != 1)
            return -1;
    }
    return 0;
}

static int open_floor(const struct drive_options *opt)
{
    static const char token[] = "@000000000000000000000000000000000000000"; /* as long as one */
    char sha[64];
    int len = (int)strlen(opt->key);
    struct floor_text *a = &least.acquire, *r = &least.release;

    if (floor_open(&least, opt->ports, opt->n) != 0 || load_script(sha) != 0)
        return -1;
    finish_text(a,
                snprintf(a->bytes, sizeof a->bytes,
                         "*6\r\n$3\r\nSET\r\n$%d\r\n%s\r\n$40\r\n%s\r\n$2\r\nNX\r\n$2\r\nPX\r\n$5\r\n%d\r\n",
                         len, opt->key, token, DRIVE_TTL_MS));
    finish_text(r, snprintf(r->bytes, sizeof r->bytes,
                            "*5\r\n$7\r\nEVALSHA\r\n$40\r\n%s\r\n$1\r\n1\r\n$%d\r\n%s\r\n$40\r\n%s\r\n", sha,
                            len, opt->key, token));
    return 0;
}

static int acquire_and_release(size_t i)
{
    (void)i;
    return floor_cycle(&least) == 0;
}

static int nothing_left(size_t i)
{
    (void)i;
    return 1;
}

int main(int argc, char **argv)
{
    static const struct drive client = {open_floor, acquire_and_release, nothing_left};

    return drive_main(&client, argc - 1, argv + 1);
}
