# SPDX-License-Identifier: MIT
# redlock/cli/cli_trouble.c: a refused login is 77
# tests: cli_secret/a_refused_password_is_77_and_is_not_repeated
s/return RDL_EXIT_NOPERM;/return RDL_EXIT_UNAVAILABLE;/
