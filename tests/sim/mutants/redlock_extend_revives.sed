# SPDX-License-Identifier: MIT
# redlock/redlock.c: an extension answered after the deadline is lost
s/now_ms >= r->until_ms \|\| gone > spare/gone > spare/
