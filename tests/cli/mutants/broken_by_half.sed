# SPDX-License-Identifier: MIT
# redlock/cli/cli_break.c: a broken lock is gone from so many servers that its holder has no majority
# tests: cli_break/too_few_servers_are_told
s/needed = n - n \/ 2/needed = n \/ 2/
