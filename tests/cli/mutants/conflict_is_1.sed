# SPDX-License-Identifier: MIT
# redlock/cli/servers/wait.c: -E is the status of a conflict
# tests: cli_wait/a_conflict_exits_with_1_or_the_given_status
s/return l->o->conflict_status;/return RDL_EXIT_CONFLICT;/
