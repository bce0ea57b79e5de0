# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: R14: a key that was lost in a restart before the release was not released by this client
s/!s->is_past && f->seen_ms/f->seen_ms/
