# SPDX-License-Identifier: MIT
# redlock/cli/child/command.c: no signal is blocked in the command
# tests: cli_child/the_command_gets_default_signals_except_ignored_ones
s/sigprocmask\(SIG_SETMASK, &none, NULL\);//
