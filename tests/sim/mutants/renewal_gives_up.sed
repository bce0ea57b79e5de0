# SPDX-License-Identifier: MIT
# redlock/renewal.c: R33: a failed renewal is retried soon
s/now_ms \+ \(pause_ms > least_ms .*;/now_ms + k->ttl_ms;/
