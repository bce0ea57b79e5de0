# SPDX-License-Identifier: MIT
# redlock/renewal.c: the lease is renewed after a third of the ttl
s/now_ms \+ \(left_ms .*\);/now_ms + ttl_ms - ttl_ms \/ 9;/
