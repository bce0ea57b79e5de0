# SPDX-License-Identifier: MIT
# redlock/cli/servers/lock_names.c: a prefix is literal
# tests: cli_names/pattern_characters_in_a_prefix_are_escaped
s/"\*\?\[\]/"*[]/
