# SPDX-License-Identifier: MIT
# redlock/cli/child/command.c: a program that does not exist is 127
# tests: cli_child/a_command_that_cannot_start_is_127_or_126
s/\? RDL_EXIT_NOT_FOUND : RDL_EXIT_CANNOT_RUN/? RDL_EXIT_CANNOT_RUN : RDL_EXIT_CANNOT_RUN/
