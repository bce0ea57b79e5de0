/* SPDX-License-Identifier: MIT */
/* net_strerror.c - the results of net/ in words. */
#include "net/net.h"

static const char *const net_errors[] = {
    "bad URL or address",
    "cannot connect",
    "the connection was closed before the reply",
    "no answer in time",
    "the server answered what nobody asked",
    "the operating system refused",
    "no source of random numbers",
    "the request queue is full",
    "the login was refused",
    "the user may not run a command that is needed (ACL)",
    "the server is a read-only replica",
    "the server is still loading its data",
    "the server is busy running a script",
    "the server is out of memory (maxmemory)",
    "the server cannot persist and refuses writes",
    "the server is a cluster node",
    "the server is a cluster node, which cannot serve the key now",
    "the key holds something that is not a lock",
    "the server does not know the command",
    "the database number was refused",
    "the server answered with an error",
    "the connection's configuration names no ways to release and extend (rdl_conn_config.ways)",
    "the connection's queue is too short for this lock (RDL_QUEUE_FOR in net.h)",
    "the endpoint needs a login, and none is named (rdl_conn_config.login)",
};

const char *rdl_net_strerror(int result)
{
    int i = RDL_E_URL - result;

    if (i >= 0 && i < (int)(sizeof net_errors / sizeof net_errors[0]))
        return net_errors[i];
    return rdl_resp_strerror(result);
}
