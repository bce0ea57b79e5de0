# SPDX-License-Identifier: MIT
# redlock/cli/child/guardian.c: R36: the margin is 250 ms at most
# tests: cli_supervise/the_kill_margin_is_a_twentieth_of_the_ttl_within_bounds
s/ms > 250 \? 250 : ms/ms/
