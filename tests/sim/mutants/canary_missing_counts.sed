# SPDX-License-Identifier: MIT
# redlock/redlock_canary.c: R28: a server without its canary does not count
s/s->counts = s->counts && s->asked_ms >= canary_counts_at\(r, i\);/;/
