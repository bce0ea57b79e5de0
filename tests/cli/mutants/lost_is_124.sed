# SPDX-License-Identifier: MIT
# redlock/cli/child/supervise.c: a lock that was lost is 75
# tests: cli_supervise_stops/a_lock_taken_by_another_client_stops_the_command
s/r\.held\.lost \|\| unrecorded \? RDL_EXIT_LOST/r.held.lost || unrecorded ? RDL_EXIT_MAX_HOLD/
