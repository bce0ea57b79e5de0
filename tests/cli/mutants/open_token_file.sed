# SPDX-License-Identifier: MIT
# redlock/cli/cli_token.c: a token file that others can read is refused
# tests: cli_verbs/bad_input_is_told_in_a_sentence_of_its_own_and_nothing_is_sent
s/S_IRGRP \| S_IROTH/S_IROTH/
