# SPDX-License-Identifier: MIT
# redlock/cli/servers/tokens.c: a token in upper case is the same token
# tests: cli_verbs/a_token_in_upper_case_is_the_same_token
s/\(char\)tolower\(\(unsigned char\)text\[i\]\)/text[i]/
