# SPDX-License-Identifier: MIT
# redlock/redlock_acquire.c: when the pilot granted the others are asked
s/^            follow_pilot\(r, now_ms\);/            ;/
