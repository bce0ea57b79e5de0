# SPDX-License-Identifier: MIT
# redlock/cli/child/guardian.c: R36: on a host without timers the guardian kills as early
# tests: cli_idle_no_timers/the_group_dies_in_time_when_redlock_is_stopped
s/!is_set \|\| until_ms <= now/until_ms <= now/
