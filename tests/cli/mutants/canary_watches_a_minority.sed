# SPDX-License-Identifier: MIT
# redlock/cli/cli_warn.c: --canary takes a majority that it can watch
# tests: cli_warn/a_key_pattern_that_covers_the_lock_alone_is_77_and_names_the_key
s/blind <= \(l->servers->n - 1\) \/ 2/blind <= l->servers->n/
