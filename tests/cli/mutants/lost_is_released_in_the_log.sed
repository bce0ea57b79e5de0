# SPDX-License-Identifier: MIT
# redlock/cli/cli_renew.c: the log calls a lock that was lost lost
# tests: cli_log/what_somebody_else_has_at_the_release_is_lost
s/if \(lost \|\| rc == RDL_LOST \|\| /if (lost || /
