# SPDX-License-Identifier: MIT
# redlock/cli/child/descendants.c: a run without descendants does not read /proc
# tests: cli_idle/a_short_run_makes_few_system_calls
s/is_reaper && !has_children\(\)/0/
