/* SPDX-License-Identifier: MIT */
/* drive_hiredis.c PORT - a lock on one server as a program writes it with hiredis. */
#define _GNU_SOURCE
#include "tests/bench/drive.h"

#include <hiredis/hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static redisContext *server;
static struct drive_options options;
static char sha[DRIVE_TOKEN + 1];
static char (*tokens)[DRIVE_TOKEN + 1];

static int open_hiredis(const struct drive_options *opt)
{
    redisReply *reply;

    options = *opt;
    tokens = calloc(opt->locks, sizeof *tokens);
    server = redisConnect("127.0.0.1", opt->ports[0]);
    if (tokens == NULL || server == NULL || server->err)
        return -1;
    reply = redisCommand(server, "SCRIPT LOAD %s", DRIVE_SCRIPT);
    if (reply == NULL || reply->type != REDIS_REPLY_STRING)
        return -1;
    snprintf(sha, sizeof sha, "%s", reply->str);
    freeReplyObject(reply);
    return 0;
}

static int acquire(size_t i)
{
    char key[DRIVE_KEY_MAX + 24], ttl[16];
    const char *argv[] = {"SET", key, tokens[i], "NX", "PX", ttl};
    redisReply *reply;
    int ok;

    drive_key(&options, i, key);
    drive_token(tokens[i]);
    snprintf(ttl, sizeof ttl, "%d", DRIVE_TTL_MS);
    reply = redisCommandArgv(server, 6, argv, NULL);
    ok = reply != NULL && reply->type == REDIS_REPLY_STATUS && strcmp(reply->str, "OK") == 0;
    freeReplyObject(reply);
    return ok;
}

static int release(size_t i)
{
    char key[DRIVE_KEY_MAX + 24];
    const char *argv[] = {"EVALSHA", sha, "1", key, tokens[i]};
    redisReply *reply;
    int ok;

    drive_key(&options, i, key);
    reply = redisCommandArgv(server, 5, argv, NULL);
    ok = reply != NULL && reply->type == REDIS_REPLY_INTEGER && reply->integer == 1;
    freeReplyObject(reply);
    return ok;
}

int main(int argc, char **argv)
{
    static const struct drive client = {open_hiredis, acquire, release};

    return drive_main(&client, argc - 1, argv + 1);
}
