# SPDX-License-Identifier: MIT
# redlock/cli/cli_signals.c: what our parent ignores stays ignored
# tests: cli_signals/sigchld_is_caught_though_it_was_ignored_and_is_as_new_for_the_command
s/old->sa_handler != SIG_IGN/1/
