# SPDX-License-Identifier: MIT
# redlock/cli/cli_child.c: a command whose lease ended before its start is not run
# tests: cli_child/a_command_is_not_started_after_its_lease_expired
s/if \(rdl_posix_now_ms\(\) >= until_ms\)/if (0)/
