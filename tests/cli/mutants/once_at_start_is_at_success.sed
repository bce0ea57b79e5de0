# SPDX-License-Identifier: MIT
# redlock/cli/servers/once.c: R39: with --once-at start the tick is recorded before the command
# tests: cli_once/once_at_start_is_recorded_before_the_command
s/else if \(h->lock->o->once_at == RDL_CLI_ONCE_AT_START\)/else if (0)/
