# SPDX-License-Identifier: MIT
# redlock/cli/child/guardian.c: R36: the guardian ignores signals that are sent to every process
# tests: cli_guardian/the_guardian_ignores_signals_sent_to_every_process
s/^    hold_nothing_but\(fd\);/    sigset_t none;\n    sigemptyset(\&none);\n    sigprocmask(SIG_SETMASK, \&none, NULL);\n&/
