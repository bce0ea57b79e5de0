# SPDX-License-Identifier: MIT
# redlock/cli/servers/passwords.c: R37: the command has no password in its environment that redlock used
# tests: cli_secret/variables_whose_password_was_used_are_overwritten
s/if \(secrets\[k\]\.variable != NULL\)/if (0)/
