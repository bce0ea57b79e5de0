# SPDX-License-Identifier: MIT
# redlock/cli/doctor/findings.c: what the restart guard makes safe is a note
# tests: cli_findings/a_loss_that_the_guard_makes_safe_is_one_note
s/begin\("persistence", NOTE,/begin("persistence", WARNING,/
