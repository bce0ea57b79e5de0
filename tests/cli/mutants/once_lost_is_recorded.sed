# SPDX-License-Identifier: MIT
# redlock/cli/child/supervise.c: R39: a command that lost the lease is not recorded
# tests: cli_once/a_command_that_lost_the_lease_is_not_recorded
s/== 0 && !r->held\.lost && !r->spent;/== 0 \&\& !r->spent;/
