# SPDX-License-Identifier: MIT
# redlock/cli/cli_strays.c: orphans of others are left alone
# tests: cli_strays/where_there_were_children_before_only_the_commands_are_stopped
s/is_strict \|= .*$/;/
