# SPDX-License-Identifier: MIT
# redlock/cli/doctor/findings.c: R38: of two clocks the slow one is reported
# tests: cli_findings/a_clock_that_is_more_than_a_second_off_is_named
s/before == n_clocks \/ 2/before == (n_clocks - 1) \/ 2/
