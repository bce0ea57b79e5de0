# SPDX-License-Identifier: MIT
# redlock/cli/options/defaults.c: R34: a --max-hold below the ttl limits the ttl
# tests: cli_options/max_hold_below_the_ttl_limits_the_lease
s/o->ttl_ms = o->max_hold_ms;/;/
