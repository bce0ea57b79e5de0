# SPDX-License-Identifier: MIT
# redlock/cli/servers/passwords.c: R37: a password that is cut is removed, too
# tests: cli_secret/a_secret_is_scrubbed_even_if_the_text_was_cut
s/len >= 4\)/0)/
