/* SPDX-License-Identifier: MIT */
/* log_events.h - events of the lock, for --log. */
#ifndef RDL_CLI_SERVERS_LOG_EVENTS_H
#define RDL_CLI_SERVERS_LOG_EVENTS_H

#include "redlock/cli/servers/lock.h"

/* Each is described in redlock.1, LOG. */
enum rdl_cli_event {
    RDL_CLI_WAITING,
    RDL_CLI_ACQUIRED,
    RDL_CLI_RENEWED,
    RDL_CLI_RENEW_FAILED,
    RDL_CLI_LOSING, /* it will not be renewed: work under the lock must end */
    RDL_CLI_LOST,
    RDL_CLI_RELEASED,
    RDL_CLI_KEPT,
    RDL_CLI_ALREADY_DONE,
    RDL_CLI_NOT_RECORDED,
    RDL_CLI_CHILD_EXIT,
    RDL_CLI_FAILED
};

/* Writes an event to the log, if there is one. reason NULL: none; status < 0: none. */
void rdl_cli_event(const struct rdl_cli_lock *l, enum rdl_cli_event event, const char *reason, int status);

#endif
