# SPDX-License-Identifier: MIT
# redlock/cli/child/supervise.c: R34: after --max-hold the lock is released despite --keep
# tests: cli_keep/max_hold_is_124_and_releases_a_kept_lock
s/!r->spent && rdl_cli_child_was_run/rdl_cli_child_was_run/
