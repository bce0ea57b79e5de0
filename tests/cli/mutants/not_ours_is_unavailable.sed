# SPDX-License-Identifier: MIT
# redlock/cli/servers/replies.c: extend and release of a lost lock are 1
# tests: cli_verbs/extend_and_release_of_a_lost_lock_exit_with_1
s/status = RDL_EXIT_CONFLICT;//
