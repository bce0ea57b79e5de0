# SPDX-License-Identifier: MIT
# redlock/cli/servers/replies.c: a name whose lookup failed may exist
# tests: cli_wait_limits/unknown_names_fail_with_68_if_no_majority_has_an_address
s/ && !is_to_be_looked_up\(l, i\)//
