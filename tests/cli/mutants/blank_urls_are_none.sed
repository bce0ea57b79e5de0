# SPDX-License-Identifier: MIT
# redlock/cli/cli_defaults.c: a variable that is set but blank is 65
# tests: cli_servers/a_variable_that_is_set_but_empty_is_65
s/urls\[strspn\(urls, blanks\)\] == '\\0'/urls[0] == '\\0'/
