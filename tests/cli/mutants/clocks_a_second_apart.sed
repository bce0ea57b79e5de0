# SPDX-License-Identifier: MIT
# redlock/cli/doctor/findings.c: a difference of one second between clocks is not reported
# tests: cli_findings/a_clock_that_is_more_than_a_second_off_is_named
s/APART_MS = 1000/APART_MS = 0/
