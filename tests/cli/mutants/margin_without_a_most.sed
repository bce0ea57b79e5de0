# SPDX-License-Identifier: MIT
# redlock/cli/cli_guardian.c: the margin is 250 ms at most
# tests: cli_supervise/the_kill_comes_scheduling_quanta_before_the_end
s/ms > 250 \? 250 : ms/ms/
