# SPDX-License-Identifier: MIT
# redlock/cli/cli_secret.c: the command has no password in its environment
# tests: cli_secret/the_environment_loses_each_variable_with_a_password
s/i >= 2 && strchr/i >= 1 \&\& strchr/
