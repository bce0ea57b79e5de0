# SPDX-License-Identifier: MIT
# redlock/cli/child/supervise.c: a killed guardian is replaced
# tests: cli_guardian/a_killed_guardian_is_replaced
s/^    if \(WIFEXITED\(status\)\) \{/    if (1) {/
