# SPDX-License-Identifier: MIT
# redlock/cli/verbs/hold.c: hold ends by itself before its guardian kills it
# tests: cli_hold/hold_fails_with_75_if_the_lease_cannot_be_renewed
s/grace_ms > margin_ms \? grace_ms : margin_ms/grace_ms/
