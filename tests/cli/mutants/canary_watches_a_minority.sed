# SPDX-License-Identifier: MIT
# redlock/cli/servers/warnings.c: R24: --canary needs a majority that it can watch
# tests: cli_warn/a_forbidden_fence_or_canary_key_fails_with_77
s/blind <= \(l->servers->n - 1\) \/ 2/blind <= l->servers->n/
