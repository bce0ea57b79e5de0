# SPDX-License-Identifier: MIT
# redlock/cli/verbs/break.c: break leaves ticks alone
# tests: cli_once/list_and_break_leave_ticks_out
s/if \(rdl_cli_name_is_tick\(name\)\)/if (0)/
