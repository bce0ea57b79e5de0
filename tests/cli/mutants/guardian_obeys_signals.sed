# SPDX-License-Identifier: MIT
# redlock/cli/child/guardian.c: R36: the guardian ignores signals that are sent to every process
# tests: cli_guardian/the_guardian_ignores_signals_sent_to_every_process
s/ignore\.sa_handler = SIG_IGN/ignore.sa_handler = SIG_DFL/
