# SPDX-License-Identifier: MIT
# redlock/cli/verbs/run.c: the lock is that of the slot
# tests: cli_slots/run_takes_the_free_slot_and_names_it
s/^        options\.lock = slot;/        ;/
