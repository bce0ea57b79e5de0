# SPDX-License-Identifier: MIT
# redlock/cli/verbs/break.c: without a terminal break requires the holder's id
# tests: cli_break/break_requires_the_holders_id_without_a_terminal
s/return isatty\(STDIN_FILENO\) && isatty\(STDERR_FILENO\)/return 1/
