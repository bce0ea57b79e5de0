# SPDX-License-Identifier: MIT
# redlock/cli/cli_guardian.c: the guardian ignores the signals that everybody gets
# tests: cli_guardian/it_ignores_signals_that_everybody_gets
s/ignore\.sa_handler = SIG_IGN/ignore.sa_handler = SIG_DFL/
