# SPDX-License-Identifier: MIT
# redlock/cli/servers/tokens.c: without the lock no token file is left
# tests: cli_verbs/a_failed_acquire_leaves_no_token_file
s/unlink\(file\);//
