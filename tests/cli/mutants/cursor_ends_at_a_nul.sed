# SPDX-License-Identifier: MIT
# redlock/cli/servers/query.c: a list is complete only if the cursor is 0
# tests: cli_query/a_cursor_with_a_nul_does_not_end_the_search
s/in->cursor_len == 1 && (in->cursor\[0\] == '0')/strcmp(in->cursor, "0") == 0/
