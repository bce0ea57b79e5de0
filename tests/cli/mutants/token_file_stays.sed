# SPDX-License-Identifier: MIT
# redlock/cli/cli_token.c: without the lock no token file is left
# tests: cli_verbs/who_does_not_get_it_leaves_no_token_file
s/unlink\(file\);//
