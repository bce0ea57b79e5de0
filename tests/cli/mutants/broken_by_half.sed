# SPDX-License-Identifier: MIT
# redlock/cli/verbs/break.c: R24: break deletes the key on so many servers that its holder has no majority
# tests: cli_break/break_reports_too_few_servers
s/needed = n - n \/ 2/needed = n \/ 2/
