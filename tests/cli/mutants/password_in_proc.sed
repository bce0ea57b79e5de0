# SPDX-License-Identifier: MIT
# redlock/cli/servers/passwords.c: R37: a password in the environment is overwritten, as /proc shows it
# tests: cli_secret/variables_with_a_password_are_removed_or_overwritten
s/memset\(value, 0, strlen\(value\)\);//
