# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: R26: uptime is cut to seconds, so the quarantine adds one
s/2000 - over_ms : 1000/1000 - over_ms : 0/
