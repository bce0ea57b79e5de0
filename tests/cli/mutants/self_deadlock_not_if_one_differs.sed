# SPDX-License-Identifier: MIT
# redlock/cli/servers/self_deadlock.c: R24: a nested run fails only if no majority is left for it
# tests: cli_wait_limits/a_nested_run_fails_only_if_no_majority_is_left_for_it
s/others > l->servers->n - quorum/others > 0/
