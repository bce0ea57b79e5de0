# SPDX-License-Identifier: MIT
# redlock/cli/cli_names.c: a prefix stands for itself
# tests: cli_names/what_is_special_in_a_pattern_stands_for_itself
s/"\*\?\[\]/"*[]/
