# SPDX-License-Identifier: MIT
# redlock/cli/verbs/hold.c: a killed guardian of hold is replaced
# tests: cli_guardian/a_killed_guardian_is_replaced
s/if \(h->guardian\.pid == 0\)/if (0)/
