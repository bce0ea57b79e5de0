# SPDX-License-Identifier: MIT
# redlock/cli/cli_break.c: without a terminal break wants to be told whose lock
# tests: cli_break/without_a_terminal_it_is_to_be_said_whose
s/!isatty\(STDIN_FILENO\) \|\| !isatty\(STDERR_FILENO\)/0/
