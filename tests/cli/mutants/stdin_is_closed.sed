# SPDX-License-Identifier: MIT
# redlock/cli/cli_secret.c: after --password-fd 0 standard input is /dev/null
# tests: cli_secret/a_password_from_standard_input_leaves_the_command_dev_null
s/fd > STDERR_FILENO \? -1/1 ? -1/
