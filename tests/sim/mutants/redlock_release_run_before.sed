# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: nor what it had lost when it restarted before the release
s/!s->is_past && f->seen_ms/f->seen_ms/
