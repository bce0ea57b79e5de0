# SPDX-License-Identifier: MIT
# redlock/cli/options/defaults.c: R26: the default --max-ttl is 30 s at least
# tests: cli_servers/a_short_ttl_does_not_shorten_the_default_max_ttl
s/longest\(longest\(o->keep_ms, o->ttl_ms\), RDL_CLI_MAX_TTL_MS\)/longest(o->keep_ms, o->ttl_ms)/
