# SPDX-License-Identifier: MIT
# redlock/redlock.c: no operation is always due
s/^    r->wake_ms = r->deadline_ms;$/    ;/
