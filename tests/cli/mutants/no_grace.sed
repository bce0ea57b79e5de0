# SPDX-License-Identifier: MIT
# redlock/cli/child/supervise.c: R36: the command gets SIGTERM, and is killed only after the grace
# tests: cli_supervise_stops/the_command_has_a_grace_period_to_end_cleanly
s/(RUNNING, LEASE_SHORT, STOPPING, )SIGTERM/\1SIGKILL/
