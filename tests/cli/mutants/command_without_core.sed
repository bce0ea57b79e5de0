# SPDX-License-Identifier: MIT
# redlock/cli/child/command.c: the command may leave a core file
# tests: cli_secret/a_password_disables_core_files_only_for_redlock
s/rdl_cli_unharden\(\);//
