# SPDX-License-Identifier: MIT
# redlock/renewal.c: R33: the nearer the expiry, the sooner a failed renewal is retried
s/now_ms \+ \(pause_ms > least_ms .*;/now_ms + k->ttl_ms \/ 20 + 1;/
