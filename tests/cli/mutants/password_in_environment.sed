# SPDX-License-Identifier: MIT
# redlock/cli/servers/passwords.c: R37: the command has no password in its environment
# tests: cli_secret/variables_with_a_password_are_removed_or_overwritten
s/i >= 2 && strchr/i >= 1 \&\& strchr/
