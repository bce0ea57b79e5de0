# SPDX-License-Identifier: MIT
# redlock/cli/servers/held_lease.c: an idle redlock does not wake up every 100 ms
# tests: cli_idle/an_idle_run_does_not_wake_up
s/l->posix\.timer_fd = rdl_cli_timer_open\(\);//
