# SPDX-License-Identifier: MIT
# redlock/cli/cli_renew.c: a renewal that succeeds ends a row of failures
# tests: cli_wait_limits/a_successful_renewal_ends_a_series_of_failures
s/h->failures = 0;//
