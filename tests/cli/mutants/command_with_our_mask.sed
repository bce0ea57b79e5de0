# SPDX-License-Identifier: MIT
# redlock/cli/cli_child.c: no signal is blocked in the command
# tests: cli_child/its_signals_are_as_good_as_new_but_what_was_ignored_stays_ignored
s/sigprocmask\(SIG_SETMASK, &none, NULL\);//
