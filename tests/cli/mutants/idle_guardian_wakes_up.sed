# SPDX-License-Identifier: MIT
# redlock/cli/child/guardian.c: an idle guardian does not wake up every second
# tests: cli_idle/an_idle_run_does_not_wake_up
s/timer = rdl_cli_timer_open\(\);/timer = -1;/
