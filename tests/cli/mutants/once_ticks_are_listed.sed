# SPDX-License-Identifier: MIT
# redlock/cli/servers/lock_names.c: ticks are no locks
# tests: cli_names/keys_of_ticks_are_skipped
s/ \|\| rdl_cli_name_is_tick\(name\)\)/)/
