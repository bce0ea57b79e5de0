# SPDX-License-Identifier: MIT
# redlock/cli/cli_guardian.c: the margin is 20 ms at least
# tests: cli_supervise/the_kill_comes_scheduling_quanta_before_the_end
s/ms < 20 \? 20/ms < 5 ? 5/
