# SPDX-License-Identifier: MIT
# redlock/cli/options/defaults.c: a variable that is set but has only spaces is 65
# tests: cli_servers/an_empty_url_variable_fails_with_65
s/urls\[strspn\(urls, blanks\)\] == '\\0'/urls[0] == '\\0'/
