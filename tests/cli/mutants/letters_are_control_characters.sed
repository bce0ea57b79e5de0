# SPDX-License-Identifier: MIT
# redlock/cli/options/operands.c: R24: a letter is no control character, whatever its bytes are
# tests: cli_options/a_name_that_looks_like_another_is_refused
s/at \+= rdl_cli_char_len\(at\)/at++/
