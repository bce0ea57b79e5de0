# SPDX-License-Identifier: MIT
# redlock/cli/child/descendants.c: R36: descendants are searched for while redlock has a child
# tests: cli_strays/processes_that_left_the_group_are_stopped_too
s/is_reaper && !has_children\(\)/is_reaper/
