# SPDX-License-Identifier: MIT
# redlock/cli/cli_secret.c: with a password there is no core file
# tests: cli_secret/with_a_password_there_is_no_core_but_the_command_may_have_one
s/none\.rlim_cur = 0;//
