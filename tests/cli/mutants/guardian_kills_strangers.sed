# SPDX-License-Identifier: MIT
# redlock/cli/child/guardian.c: the guardian of hold kills no process but its parent
# tests: cli_guardian/the_guardian_kills_no_process_but_its_parent
s/target > 0 && target == getppid\(\)/target > 0/
