# SPDX-License-Identifier: MIT
# redlock/cli/cli_supervise.c: the command gets SIGTERM a grace before it is killed
# tests: cli_supervise_stops/it_has_its_grace_to_end_in_good_order
s/(RUNNING, LEASE_SHORT, STOPPING, )SIGTERM/\1SIGKILL/
