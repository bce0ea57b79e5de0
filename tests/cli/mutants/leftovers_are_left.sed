# SPDX-License-Identifier: MIT
# redlock/cli/child/supervise.c: R36: the rest of the group gets SIGTERM when the command has ended
# tests: cli_supervise/the_rest_of_the_commands_group_gets_sigterm
s/(RUNNING, EXITED, LEFTOVER, )SIGTERM/\1SIGKILL/
