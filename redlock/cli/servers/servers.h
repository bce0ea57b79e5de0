/* SPDX-License-Identifier: MIT */
/* servers.h - what the other folders use of servers/. */
#ifndef RDL_CLI_SERVERS_SERVERS_H
#define RDL_CLI_SERVERS_SERVERS_H

#include "redlock/cli/servers/commands.h"
#include "redlock/cli/servers/connect_command.h"
#include "redlock/cli/servers/connections.h"
#include "redlock/cli/servers/failures.h"
#include "redlock/cli/servers/foreign_canary.h"
#include "redlock/cli/servers/held_lease.h"
#include "redlock/cli/servers/host_differences.h"
#include "redlock/cli/servers/lock.h"
#include "redlock/cli/servers/lock_names.h"
#include "redlock/cli/servers/log_events.h"
#include "redlock/cli/servers/metrics.h"
#include "redlock/cli/servers/once.h"
#include "redlock/cli/servers/once_output.h"
#include "redlock/cli/servers/passwords.h"
#include "redlock/cli/servers/query.h"
#include "redlock/cli/servers/query_output.h"
#include "redlock/cli/servers/replies.h"
#include "redlock/cli/servers/resolve_again.h"
#include "redlock/cli/servers/risks.h"
#include "redlock/cli/servers/sentinel_groups.h"
#include "redlock/cli/servers/tokens.h"
#include "redlock/cli/servers/wait.h"
#include "redlock/cli/servers/warnings.h"

#endif
