# SPDX-License-Identifier: MIT
# redlock/cli/main.c: with a JSON log on standard error, each line there is an object
# tests: cli_log/with_a_json_log_every_line_on_stderr_is_an_object
s/rdl_cli_options_find_log\(verb, argc - 2, argv \+ 2\)/(void)verb/
