# SPDX-License-Identifier: MIT
# redlock/redlock_acquire.c: when the probe server granted the others are asked
s/^            follow_probe_server\(r, now_ms\);/            ;/
