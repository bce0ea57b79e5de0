# SPDX-License-Identifier: MIT
# redlock/cli/child/supervise.c: R39: a command that failed is not recorded
# tests: cli_once/a_command_that_did_not_succeed_is_not_recorded
s/WIFEXITED\(r->status\) && WEXITSTATUS\(r->status\) == 0 && !r->held/!r->held/
