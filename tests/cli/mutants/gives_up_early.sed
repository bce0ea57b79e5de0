# SPDX-License-Identifier: MIT
# redlock/cli/servers/wait.c: without -w it waits 10 s for a majority
# tests: cli_wait_limits/a_wait_ends_at_its_limit
s/UNREACHABLE_MS = 10000/UNREACHABLE_MS = 5000/
