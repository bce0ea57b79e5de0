# SPDX-License-Identifier: MIT
# redlock/cli/process/signals.c: signals that our parent ignores stay ignored
# tests: cli_signals/an_ignored_sigchld_is_caught_and_reset_for_the_command
s/old->sa_handler != SIG_IGN/1/
