# SPDX-License-Identifier: MIT
# redlock/cli/child/supervise.c: R34: --max-hold is reached also if no renewal was refused before
# tests: cli_guard/max_hold_is_reached_without_a_renewal
s/!rdl_cli_lease_is_capped\(r->lock, rdl_cli_now\(r->lock\)\)/!r->held.is_refused/
