# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: R26: a known run may be followed by another server, whatever its uptime
s/ && !f->is_other//
