# SPDX-License-Identifier: MIT
# redlock/cli/child/supervise.c: R36: the guardian learns of each renewal
# tests: cli_supervise/the_lease_is_renewed_as_long_as_the_command_runs
s/rdl_cli_held_renew\(&r->held\) && !r->exited/rdl_cli_held_renew(\&r->held) \&\& 0/
