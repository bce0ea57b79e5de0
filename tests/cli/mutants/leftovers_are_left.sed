# SPDX-License-Identifier: MIT
# redlock/cli/cli_supervise.c: what is left of the group when the command has ended gets SIGTERM
# tests: cli_supervise/the_rest_of_the_commands_group_gets_sigterm
s/(RUNNING, EXITED, LEFTOVER, )SIGTERM/\1SIGKILL/
