# SPDX-License-Identifier: MIT
# redlock/cli/options/operands.c: R24: the word after an unset variable is not taken for the lock
# tests: cli_options/a_word_that_begins_with_a_dash_is_no_lock_name
s/if \(word\[0\] != '-'\)/if (1)/
