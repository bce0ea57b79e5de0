# SPDX-License-Identifier: MIT
# redlock/cli/process/signals.c: SIGCHLD is caught even if the parent ignores it
# tests: cli_signals/an_ignored_sigchld_is_caught_and_reset_for_the_command
s/ \|\| sig == SIGCHLD( \|\|)/\1/
