# SPDX-License-Identifier: MIT
# redlock/cli/child/guardian.c: R36: the guardian wakes up at the end of the lease
# tests: cli_guardian/the_commands_group_dies_in_time_when_redlock_is_stopped
s/rdl_cli_timer_set\(timer, o\.until_ms\)/rdl_cli_timer_set(timer, o.until_ms + 60000)/
