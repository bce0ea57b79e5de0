# SPDX-License-Identifier: MIT
# redlock/cli/process/signals.c: the command does not ignore SIGCHLD, even if the parent did
# tests: cli_signals/an_ignored_sigchld_is_caught_and_reset_for_the_command
s/if \(caught\[i\] != SIGCHLD\)/if (1)/
s/set_default\(SIGCHLD\);//
