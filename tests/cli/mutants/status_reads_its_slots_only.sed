# SPDX-License-Identifier: MIT
# redlock/cli/verbs/status.c: another host may use a larger N
# tests: cli_slots/status_warns_of_a_host_with_more_slots
s/k < 2 \* slots/k < slots/
