# SPDX-License-Identifier: MIT
# redlock/renewal.c: R33: an expired lease is reported
s/now_ms >= k->until_ms/now_ms > k->until_ms + k->ttl_ms/
