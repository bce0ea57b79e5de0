# SPDX-License-Identifier: MIT
# redlock/cli/servers/tokens.c: R37: only its owner can read a token file
# tests: cli_verbs/the_token_file_is_private_and_nothing_is_printed
s/, 0600\)/, 0644)/
