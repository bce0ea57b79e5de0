# SPDX-License-Identifier: MIT
# redlock/cli/servers/held_lease.c: R14: a lock that another client got before the release is lost
# tests: cli_supervise/a_lock_held_by_another_client_at_the_end_is_lost
s/&& rdl_cli_now\(l\) < until_ms;/\&\& 0;/
