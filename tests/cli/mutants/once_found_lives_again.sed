# SPDX-License-Identifier: MIT
# redlock/cli/servers/once.c: a record that was found keeps its expiry
# tests: cli_once/one_server_with_the_record_is_enough
s/if \(left_ms > 0 && \(uint64_t\)left_ms < keep_ms\)/if (0)/
