# SPDX-License-Identifier: MIT
# redlock/cli/child/guardian.c: R36: the guardian kills half a margin before the lease ends
# tests: cli_guardian/the_guardian_kills_half_a_margin_before_the_lease_ends
s/g->early_ms = .*;/g->early_ms = 0;/
