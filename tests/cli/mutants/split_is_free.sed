# SPDX-License-Identifier: MIT
# redlock/cli/cli_seen.c: status of a split lock is 1
# tests: cli_status/a_key_is_called_what_it_is
s/ \|\| state == RDL_CLI_SPLIT//
