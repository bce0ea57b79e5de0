# SPDX-License-Identifier: MIT
# redlock/cli/child/guardian.c: R36: the margin is 20 ms at least
# tests: cli_supervise/the_kill_margin_is_a_twentieth_of_the_ttl_within_bounds
s/ms < 20 \? 20/ms < 5 ? 5/
