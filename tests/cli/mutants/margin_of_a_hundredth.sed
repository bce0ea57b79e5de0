# SPDX-License-Identifier: MIT
# redlock/cli/cli_guardian.c: the margin is a twentieth of the ttl
# tests: cli_supervise/the_kill_comes_scheduling_quanta_before_the_end
s/ttl_ms \/ 20/ttl_ms \/ 100/
