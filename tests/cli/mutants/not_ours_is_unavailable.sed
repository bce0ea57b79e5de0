# SPDX-License-Identifier: MIT
# redlock/cli/cli_report.c: extend and release of a lock that is gone are 1
# tests: cli_verbs/what_is_gone_or_somebody_elses_is_1_and_stays_as_it_is
s/status = RDL_EXIT_CONFLICT;//
