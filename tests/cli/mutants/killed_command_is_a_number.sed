# SPDX-License-Identifier: MIT
# redlock/cli/cli_supervise.c: a command that a signal ended is 128 and its number
# tests: cli_child/its_exit_status_is_the_commands
s/128 \+ WTERMSIG\(r->status\)/WTERMSIG(r->status)/
