# SPDX-License-Identifier: MIT
# redlock/cli/cli_process.c: the guardian is in a session of its own, outside our process group
# tests: cli_guardian/a_kill_of_its_process_group_spares_the_guardian
s/^    setsid\(\);$//
