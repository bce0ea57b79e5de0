# SPDX-License-Identifier: MIT
# redlock/cli/servers/connect_command.c: R37: a connect command gets no token
# tests: cli_tls/a_connect_command_gets_three_descriptors_and_no_secret
s/unsetenv\("REDLOCK_TOKEN"\);//
