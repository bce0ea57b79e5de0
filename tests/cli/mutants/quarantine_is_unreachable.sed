# SPDX-License-Identifier: MIT
# redlock/cli/servers/wait.c: a majority in quarantine counts as reached
# tests: cli_wait_limits/servers_in_quarantine_count_as_reached
s/ \|\| rc == RDL_E_QUARANTINE( \|\| rc == RDL_EXPIRED\))/\1/
