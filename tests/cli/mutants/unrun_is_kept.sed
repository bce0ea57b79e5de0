# SPDX-License-Identifier: MIT
# redlock/cli/cli_supervise.c: a command that could not be started is no reason to keep the lock
# tests: cli_keep/a_command_that_could_not_be_started_releases_it
s/ && rdl_cli_child_was_run\(\)//
