# SPDX-License-Identifier: MIT
# redlock/cli/cli_secret.c: a password in the environment is overwritten, as /proc shows it
# tests: cli_secret/the_environment_loses_each_variable_with_a_password
s/memset\(value, 0, strlen\(value\)\);//
