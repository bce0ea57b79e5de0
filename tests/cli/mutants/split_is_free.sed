# SPDX-License-Identifier: MIT
# redlock/cli/servers/query_output.c: R24: status of a split lock is 1
# tests: cli_status/status_names_what_each_key_is
s/ \|\| state == RDL_CLI_SPLIT//
