# SPDX-License-Identifier: MIT
# redlock/cli/servers/wait.c: a signal ends the wait as it ends any program
# tests: cli_wait_long/a_signal_ends_the_wait_and_leaves_no_key
s/rdl_cli_signals_die\(sig\);/exit(sig);/
