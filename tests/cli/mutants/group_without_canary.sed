# SPDX-License-Identifier: MIT
# redlock/cli/options/defaults.c: R27: a group's server counts only if its canary is of this run, and old enough
# tests: cli_sentinel/after_a_failover_a_new_process_waits
/^static int check_group/,/^}/s/o->canary = 1/o->canary = 0/
