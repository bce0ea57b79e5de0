# SPDX-License-Identifier: MIT
# redlock/cli/servers/passwords.c: after --password-fd 0 standard input is /dev/null
# tests: cli_secret/after_password_fd_0_the_command_reads_dev_null
s/fd > STDERR_FILENO \? -1/1 ? -1/
