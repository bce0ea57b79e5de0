# SPDX-License-Identifier: MIT
# redlock/cli/servers/failures.c: a refused login is 77
# tests: cli_secret/a_refused_password_fails_with_77_and_is_not_printed
s/return RDL_EXIT_NOPERM;/return RDL_EXIT_UNAVAILABLE;/
