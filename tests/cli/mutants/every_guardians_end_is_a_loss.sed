# SPDX-License-Identifier: MIT
# redlock/cli/child/supervise.c: R36: the guardian's end after the kill is no loss
# tests: cli_guardian/a_guardian_that_ends_after_the_kill_is_no_loss
s/if \(WIFEXITED\(status\) && r->phase == KILLED\)/if (0)/
