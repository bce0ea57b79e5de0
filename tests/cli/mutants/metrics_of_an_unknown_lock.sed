# SPDX-License-Identifier: MIT
# redlock/cli/verbs/list.c: if it is unknown whether a lock is held, its metrics are incomplete
# tests: cli_metrics/a_lock_whose_state_is_unknown_makes_metrics_incomplete
s/v->what != RDL_CLI_UNKNOWN\)/v->what != RDL_CLI_SPLIT)/
