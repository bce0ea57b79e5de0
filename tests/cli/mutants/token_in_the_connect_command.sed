# SPDX-License-Identifier: MIT
# redlock/cli/cli_connect.c: a connect command sees no token
# tests: cli_tls/it_has_three_descriptors_no_secret_and_default_signals
s/unsetenv\("REDLOCK_TOKEN"\);//
