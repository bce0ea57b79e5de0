# SPDX-License-Identifier: MIT
# redlock/cli/main.c: closed standard input without /dev/null is an error with a message
# tests: cli_signals/closed_input_without_dev_null_fails_with_a_message
s/^        rdl_cli_print_error\($/        rdl_cli_print_verbose(/
