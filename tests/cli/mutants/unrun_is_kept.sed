# SPDX-License-Identifier: MIT
# redlock/cli/child/supervise.c: a lock is not kept if its command could not be started
# tests: cli_keep/a_command_that_cannot_start_releases_a_kept_lock
s/ && rdl_cli_child_was_run\(\)//
