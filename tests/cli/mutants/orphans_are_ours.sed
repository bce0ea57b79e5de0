# SPDX-License-Identifier: MIT
# redlock/cli/child/descendants.c: R36: orphans of other processes are left alone
# tests: cli_strays/children_from_before_the_command_are_not_stopped
s/is_strict \|= .*$/;/
