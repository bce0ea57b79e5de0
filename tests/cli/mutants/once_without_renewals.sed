# SPDX-License-Identifier: MIT
# redlock/cli/servers/once.c: the lease is renewed while the tick is read or recorded
# tests: cli_once/the_lease_is_renewed_while_the_tick_is_read
s/rdl_cli_held_renew\(tally\.held\);//
