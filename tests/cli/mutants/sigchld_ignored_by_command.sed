# SPDX-License-Identifier: MIT
# redlock/cli/cli_signals.c: the command does not ignore SIGCHLD, even if the parent did
# tests: cli_signals/sigchld_is_caught_though_it_was_ignored_and_is_as_new_for_the_command
s/set_default\(SIGCHLD\);//
