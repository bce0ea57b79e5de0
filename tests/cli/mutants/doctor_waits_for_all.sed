# SPDX-License-Identifier: MIT
# redlock/cli/servers/query.c: once a majority is connected, doctor gives the others the time that status gives
# tests: cli_query/one_frozen_server_costs_one_attempt
s/if \(!is_last && is_enough\(\)\)/if (!is_last \&\& (query->o->verb != RDL_CLI_DOCTOR || is_enough != is_decided) \&\& is_enough())/
