# SPDX-License-Identifier: MIT
# redlock/redlock_acquire.c: R26: an acquire waits for the connection checks before it reports a quarantine
s/ && is_known\)/)/
