# SPDX-License-Identifier: MIT
# redlock/cli/cli_defaults.c: --max-hold below the ttl is the ttl
# tests: cli_options/a_hold_that_is_shorter_than_the_ttl_is_the_lease
s/o->ttl_ms = o->max_hold_ms;/;/
