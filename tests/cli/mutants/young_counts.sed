# SPDX-License-Identifier: MIT
# redlock/cli/cli_seen.c: a server that may have forgotten decides nothing
# tests: cli_verdict/a_majority_decides_and_who_may_have_forgotten_does_not
s/if \(!counts\[i\] \|\| /if (/
