/* SPDX-License-Identifier: MIT */
/* self_deadlock.h - a run inside a run that holds the same lock. */
#ifndef RDL_CLI_SERVERS_SELF_DEADLOCK_H
#define RDL_CLI_SERVERS_SELF_DEADLOCK_H

#include "redlock/cli/servers/lock.h"

enum rdl_cli_self_deadlock {
    RDL_CLI_SELF_DEADLOCK_NOT,
    RDL_CLI_SELF_DEADLOCK,           /* it is: the run around us holds it, and waits for us */
    RDL_CLI_SELF_DEADLOCK_MAYBE,     /* the name is the same, and the holder could not be read */
    RDL_CLI_SELF_DEADLOCK_UNANSWERED /* the same, and a server has not replied to the query */
};

/*
 * Checks whether the `redlock run` around us holds the lock that we wait for. If the environment names this
 * lock, it queries the servers, for a second or an attempt's time at most.
 */
enum rdl_cli_self_deadlock rdl_cli_self_deadlock(struct rdl_cli_lock *l);

#endif
