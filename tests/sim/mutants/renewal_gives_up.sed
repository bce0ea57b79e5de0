# SPDX-License-Identifier: MIT
# redlock/renewal.c: a failed renewal is retried soon
s/now_ms \+ \(pause_ms > least_ms .*;/now_ms + k->ttl_ms;/
