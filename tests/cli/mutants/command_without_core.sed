# SPDX-License-Identifier: MIT
# redlock/cli/cli_child.c: the command may leave a core file
# tests: cli_secret/with_a_password_there_is_no_core_but_the_command_may_have_one
s/rdl_cli_unharden\(\);//
