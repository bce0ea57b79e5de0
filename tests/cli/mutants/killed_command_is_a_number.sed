# SPDX-License-Identifier: MIT
# redlock/cli/child/supervise.c: a command that a signal ended is 128 plus the signal's number
# tests: cli_child/run_exits_with_the_status_of_the_command
s/128 \+ WTERMSIG\(r->status\)/WTERMSIG(r->status)/
