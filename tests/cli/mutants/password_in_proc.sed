# SPDX-License-Identifier: MIT
# redlock/cli/servers/passwords.c: R37: a password in the environment is overwritten, as /proc shows it
# tests: cli_secret/variables_whose_password_was_used_are_overwritten
s/memset\(value, 0, strlen\(value\)\);//
