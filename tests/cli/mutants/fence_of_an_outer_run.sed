# SPDX-License-Identifier: MIT
# redlock/cli/cli_child.c: without --fence the command sees no fencing token of an outer run
# tests: cli_lease/who_did_not_ask_for_a_number_is_told_none_and_none_that_was_inherited
s/unsetenv\("REDLOCK_FENCE"\);//
