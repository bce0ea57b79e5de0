# SPDX-License-Identifier: MIT
# redlock/cli/main.c: closed standard input without /dev/null is an error with a message
# tests: cli_signals/closed_input_without_dev_null_fails_with_a_message
s/^        return rdl_cli_fail\($/        return close(STDERR_FILENO), rdl_cli_fail(/
