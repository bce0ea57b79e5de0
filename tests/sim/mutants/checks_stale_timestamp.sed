# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: R26: server info is forgotten with the connection
s/f->seen_ms == 0/1/
