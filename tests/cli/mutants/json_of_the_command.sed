# SPDX-License-Identifier: MIT
# redlock/cli/options/parse.c: a command's own option --log json is not ours
# tests: cli_log/messages_are_text_without_a_json_log_on_stderr
s/for \(int i = 0; i < argc \&\& rdl_cli_is_option\(argv\[i\]\).*; i\+\+\) \{$/for (int i = 0; i < argc; i++) {/
