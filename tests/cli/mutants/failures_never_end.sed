# SPDX-License-Identifier: MIT
# redlock/cli/servers/held_lease.c: a successful renewal ends a series of failures
# tests: cli_wait_limits/a_successful_renewal_ends_a_series_of_failures
s/h->failures = 0;//
