# SPDX-License-Identifier: MIT
# redlock/cli/output/messages.c: R24: -q hides no warning that two clients can hold the lock
# tests: cli_guard/run_warns_of_a_server_that_may_evict
s/"warning", RDL_CLI_QUIET/"warning", RDL_CLI_NORMAL/
