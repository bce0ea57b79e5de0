# SPDX-License-Identifier: MIT
# redlock/cli/cli_supervise.c: a command that could not be started is no reason to keep the lock
# tests: cli_keep/a_command_that_cannot_start_releases_a_kept_lock
s/ && rdl_cli_child_was_run\(\)//
