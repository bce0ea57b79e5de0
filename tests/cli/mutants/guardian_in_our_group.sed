# SPDX-License-Identifier: MIT
# redlock/cli/process/helpers.c: R36: the guardian has its own session, outside our process group
# tests: cli_guardian/the_guardian_survives_a_kill_of_redlocks_group
s/^    setsid\(\);$//
