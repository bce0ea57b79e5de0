/* SPDX-License-Identifier: MIT */
/*
 * resp_strerror.c - the version, and every result in words: one list for all layers, since a number means the
 * same in each.
 */
#include "resp/resp.h"

enum { FIRST = 6, LAST = -61 };

static const char messages[] =
    /* the news, from RDL_REMOVED down, RDL_PENDING, RDL_OK */
    "released; a waiter had written over it, and that was deleted\0"
    "resumed after a gap\0"
    "adopted\0"
    "extended, and put back where it was missing\0"
    "taken over from a holder whose time was up\0"
    "not finished\0"
    "done\0"
    /* resp.h: from RDL_E_SYNTAX down */
    "the peer does not speak RESP2\0"
    "the reply is larger than accepted\0"
    "the command does not fit the buffer\0"
    "\0\0\0\0\0\0" /* -4 to -9: free */
    /* net.h: from RDL_E_URL down */
    "bad URL or address\0"
    "cannot connect\0"
    "the connection was closed before the reply\0"
    "no answer in time\0"
    "the server answered what nobody asked\0"
    "the operating system refused\0"
    "no source of random numbers\0"
    "the request queue is full\0"
    "the login was refused\0"
    "the user may not run a command that is needed (ACL)\0"
    "the server is a read-only replica\0"
    "the server is still loading its data\0"
    "the server is busy running a script\0"
    "the server is out of memory (maxmemory)\0"
    "the server cannot persist and refuses writes\0"
    "the server is a cluster node\0"
    "the server is a cluster node, which cannot serve the key now\0"
    "the key holds something that is not a lock\0"
    "the server does not know the command\0"
    "the database number was refused\0"
    "the server answered with an error\0"
    "the connection's configuration names no ways to release and extend (rdl_conn_config.ways)\0"
    "the connection's queue is too short for this lock (RDL_QUEUE_FOR in net.h)\0"
    "the endpoint needs a login, and none is named (rdl_conn_config.login)\0"
    "not waited for\0"
    "interrupted (rdl_posix.wake_fd)\0"
    "the connection was closed before INFO was answered (a proxy may not support INFO)\0"
    "a forked child used its parent's connection (set it up again: rdl_conn_init)\0"
    "a load balancer has no server now: it answered with HTTP 502, 503 or 504\0"
    "\0" /* -39: free */
    /* lock.h: from RDL_E_NAME down */
    "a lock's name has 1 to 128 bytes\0"
    "the ttl is 0, too long, or under four attempts\0"
    "somebody else holds the lock\0"
    "the lock is lost\0"
    "the lease was over\0"
    "no answer: done or not done\0"
    "the key holds something that is not a lock of this kind\0"
    "fencing needs scripts, which the server refuses\0"
    "several locks at once need scripts, which the server refuses\0"
    "a waiter wrote over the lock: its key stays until what he wrote is over\0"
    /* redlock.h: from RDL_NO_QUORUM down */
    "too few servers could be asked\0"
    "a lock has 1 to 7 servers\0"
    "the options do not say which restart guard\0"
    "too many servers restarted too recently to count\0"
    "the same server as another one, behind a second address\0"
    "held again, but not without a gap: somebody else may have held it\0"
    "held for as long as the options allow\0"
    "a connection has no room for its server's facts (rdl_conn_config.facts)\0"
    "another lock was set up with the same servers[] (rdl_redlock_init)\0"
    "the redlock was set up after its connection was opened (rdl_guard_conn)\0"
    /* lock.h again: from RDL_E_FENCE_RANGE down */
    "the fencing number is too great for scripts (2^53 or more)\0"
    "not a token (40 hex digits), or a lock of the old protocol, which has none";

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
