# SPDX-License-Identifier: MIT
# redlock/cli/servers/self_deadlock.c: R24: the outer run holds the lock on a majority
# tests: cli_wait_limits/a_nested_run_fails_only_if_no_majority_is_left_for_it
s/RDL_ANSWER_YES\) >= quorum/RDL_ANSWER_YES) > 0/
