# SPDX-License-Identifier: MIT
# redlock/cli/verbs/break.c: break --owner fails with 69 if some locks may remain
# tests: cli_break_owner/an_incomplete_list_is_never_all_cleared
s/return rc == 0 && gaps.status != 0 \? RDL_EXIT_UNAVAILABLE : rc/return rc/
