# SPDX-License-Identifier: MIT
# redlock/cli/verbs/search.c: R3: break --owner deletes the locks of that owner alone
# tests: cli_break_owner/all_locks_of_an_owner_are_deleted_and_no_others
s/ && matches\(l->o->owner, owner\)//
