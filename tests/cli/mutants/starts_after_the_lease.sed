# SPDX-License-Identifier: MIT
# redlock/cli/child/command.c: R36: a command is not started after its lease expired
# tests: cli_child/a_command_is_not_started_after_its_lease_expired
s/if \(rdl_posix_now_ms\(\) >= until_ms\)/if (0)/
