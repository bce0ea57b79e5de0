# SPDX-License-Identifier: MIT
# redlock/cli/cli_signals.c: SIGCHLD is caught also where the parent ignores it
# tests: cli_signals/sigchld_is_caught_though_it_was_ignored_and_is_as_new_for_the_command
s/ \|\| sig == SIGCHLD( \|\|)/\1/
