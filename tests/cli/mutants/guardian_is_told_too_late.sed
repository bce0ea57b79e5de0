# SPDX-License-Identifier: MIT
# redlock/cli/child/guardian.c: R36: a guardian knows its target from its first moment
# tests: cli_guardian/a_guardian_has_its_target_before_it_starts
s/if \(target != 0\)/if (0)/
