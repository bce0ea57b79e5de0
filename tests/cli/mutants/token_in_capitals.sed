# SPDX-License-Identifier: MIT
# redlock/cli/servers/tokens.c: a token in upper case is the same token
# tests: cli_verbs/digits_of_a_token_in_upper_case_are_the_same
s/\(char\)tolower\(\(unsigned char\)text\[i\]\)/text[i]/
