/* SPDX-License-Identifier: MIT */
/*
 * resp_strerror.c - the version, and a message for every result. All layers share one list, because a number
 * means the same in each.
 */
#include "resp/resp.h"

enum { FIRST = 6, LAST = -61 };

static const char messages[] =
    /* success with additional information, from RDL_REMOVED down; RDL_PENDING, RDL_OK */
    "released; the value that a waiting client had written was deleted\0"
    "held again after a gap\0"
    "adopted\0"
    "extended, and restored on servers that had lost it\0"
    "taken over from a holder whose lease had expired\0"
    "not finished\0"
    "done\0"
    /* resp.h: from RDL_E_SYNTAX down */
    "the server does not speak RESP2 (the Redis protocol)\0"
    "the reply is too large\0"
    "the buffer is too small for the command\0"
    "\0\0\0\0\0\0" /* -4 to -9: free */
    /* net.h: from RDL_E_URL down */
    "invalid URL or address\0"
    "cannot connect\0"
    "the connection was closed before the reply\0"
    "timed out\0"
    "unexpected reply from the server\0"
    "a system call failed\0"
    "no source of random numbers\0"
    "the request queue is full\0"
    "the server refused the login\0"
    "the user lacks permission for a command or a key (ACL)\0"
    "the server is a read-only replica\0"
    "the server is still loading its data\0"
    "the server is busy running a script\0"
    "the server is out of memory (maxmemory)\0"
    "the server cannot save its data and refuses writes\0"
    "the server is a cluster node\0"
    "the cluster node cannot serve the key now\0"
    "the key holds a value that is not a lock\0"
    "the server does not support the command\0"
    "the server refused the database number\0"
    "the server replied with an error\0"
    "rdl_conn_config.methods is not set\0"
    "the connection's queue is too short for the lock (RDL_QUEUE_FOR)\0"
    "the endpoint needs a login, but rdl_conn_config.login is not set\0"
    "not waited for\0"
    "interrupted (rdl_posix.wake_fd)\0"
    "the connection was closed before the reply to INFO (is it a proxy?)\0"
    "a forked child must not use its parent's connection (rdl_conn_init)\0"
    "a load balancer has no server: it replied HTTP 502, 503 or 504\0"
    "\0" /* -39: free */
    /* lock.h: from RDL_E_NAME down */
    "a lock's name must have 1 to 128 bytes\0"
    "invalid ttl: must be at least 4 x attempt_ms, at most RDL_TTL_MAX\0"
    "the lock is held by another client\0"
    "the lock is lost\0"
    "the lease has expired\0"
    "no reply: outcome unknown\0"
    "the key holds a value that is not a lock of this kind\0"
    "fencing tokens need scripts, which the server refuses\0"
    "several locks at once need scripts, which the server refuses\0"
    "a waiting client overwrote the key; it stays until its value expires\0"
    /* redlock.h: from RDL_NO_QUORUM down */
    "too few servers gave a useful reply\0"
    "a lock must have 1 to 7 servers\0"
    "rdl_redlock_options.guard is not set\0"
    "too many servers restarted recently and may have lost locks\0"
    "another address leads to the same server\0"
    "the lock is lost: another client may have held it in between\0"
    "max_hold_ms or max_extensions would be exceeded\0"
    "rdl_conn_config.server_info is not set\0"
    "another lock was set up with the same servers[] (rdl_redlock_init)\0"
    "the connection was opened before rdl_redlock_init (rdl_guard_conn)\0"
    /* lock.h again: from RDL_E_FENCE_RANGE down */
    "the fencing token is too large for scripts (2^53 or more)\0"
    "not a token (40 hex digits); locks of the old protocol have none";

const char *rdl_version(void)
{
    return RDL_VERSION;
}

const char *rdl_strerror(int result)
{
    const char *text = messages;
    int i;

    if (result > FIRST || result < LAST)
        return "unknown result";
    for (i = FIRST; i > result; i--) {
        while (*text != '\0')
            text++;
        text++;
    }
    return *text != '\0' ? text : "unknown result";
}
