# SPDX-License-Identifier: MIT
# redlock/cli/child/command.c: the command sees no id of an outer run
# tests: cli_child/the_command_gets_the_id_that_status_prints
s/unsetenv\("REDLOCK_ID"\);//
