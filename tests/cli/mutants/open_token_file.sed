# SPDX-License-Identifier: MIT
# redlock/cli/servers/tokens.c: R37: a token file that others can read is refused
# tests: cli_verbs/bad_input_gets_its_own_message_and_sends_nothing
s/S_IRGRP \| S_IROTH/S_IROTH/
