# SPDX-License-Identifier: MIT
# redlock/cli/cli_probe.c: what a user with a name may not do is warned of
# tests: cli_warn/who_may_not_release_or_extend_is_told_before_the_command_starts
s/endpoint\[i\]\.user\.len > 0/endpoint[i].user.len > 1000/
