# SPDX-License-Identifier: MIT
# redlock/cli/cli_child.c: a program that is not there is 127
# tests: cli_child/what_cannot_be_run_is_127_or_126
s/\? RDL_EXIT_NOT_FOUND : RDL_EXIT_CANNOT_RUN/? RDL_EXIT_CANNOT_RUN : RDL_EXIT_CANNOT_RUN/
