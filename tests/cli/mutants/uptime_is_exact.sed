# SPDX-License-Identifier: MIT
# redlock/cli/servers/query_output.c: R26: an uptime is in whole seconds, so a quarantine lasts one second longer
# tests: cli_verdict/a_quarantine_lasts_one_second_longer_than_max_ttl
s/\(uint64_t\)o->max_ttl_ms \+ 1000/(uint64_t)o->max_ttl_ms/
