# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: behind a run that was seen before may be another server, whatever its uptime
s/ && !f->is_other//
