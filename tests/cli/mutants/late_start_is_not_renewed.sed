# SPDX-License-Identifier: MIT
# redlock/cli/servers/held_lease.c: R33: a lease granted late is renewed before the grace period begins
# tests: cli_wait_limits/a_command_that_starts_late_is_renewed_before_the_grace
s/ttl_ms, h->lock->o->grace_ms, /ttl_ms, 0, /
