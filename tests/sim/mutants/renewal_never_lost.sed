# SPDX-License-Identifier: MIT
# redlock/renewal.c: a lease that is over is told
s/now_ms >= k->until_ms/now_ms > k->until_ms + k->ttl_ms/
