# SPDX-License-Identifier: MIT
# redlock/cli/child/guardian.c: R36: the margin is a twentieth of the ttl
# tests: cli_supervise/the_kill_margin_is_a_twentieth_of_the_ttl_within_bounds
s/ttl_ms \/ 20/ttl_ms \/ 100/
