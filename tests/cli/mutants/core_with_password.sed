# SPDX-License-Identifier: MIT
# redlock/cli/servers/passwords.c: R37: with a password there is no core file
# tests: cli_secret/a_password_disables_core_files_only_for_redlock
s/none\.rlim_cur = 0;//
