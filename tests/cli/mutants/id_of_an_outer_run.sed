# SPDX-License-Identifier: MIT
# redlock/cli/cli_child.c: the command sees no id of an outer run
# tests: cli_child/it_is_told_the_id_that_status_shows
s/unsetenv\("REDLOCK_ID"\);//
