# SPDX-License-Identifier: MIT
# redlock/cli/child/command.c: without --fence the command sees no fencing token of an outer run
# tests: cli_lease/without_fence_the_command_sees_no_fencing_token
s/unsetenv\("REDLOCK_FENCE"\);//
