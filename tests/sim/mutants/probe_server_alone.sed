# SPDX-License-Identifier: MIT
# redlock/redlock_acquire.c: R30: after the probe server's grant the others get a SET
s/^            follow_probe_server\(r, now_ms\);/            ;/
