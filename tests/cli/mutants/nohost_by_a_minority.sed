# SPDX-License-Identifier: MIT
# redlock/cli/servers/replies.c: R24: 68 needs a majority of names that do not exist
# tests: cli_wait_limits/unknown_names_fail_with_68_if_no_majority_has_an_address
s/t\.n - \(t\.n \/ 2 \+ 1\)/0/
