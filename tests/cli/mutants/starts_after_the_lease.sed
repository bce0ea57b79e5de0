# SPDX-License-Identifier: MIT
# redlock/cli/cli_child.c: a command whose lease ended before its start is not run
# tests: cli_child/one_whose_lease_ended_before_its_start_is_not_run
s/if \(rdl_posix_now_ms\(\) >= until_ms\)/if (0)/
