# SPDX-License-Identifier: MIT
# redlock/renewal.c: R33: the lease is renewed after a third of the ttl
s/now_ms \+ \(left_ms .*\);/now_ms + ttl_ms - ttl_ms \/ 9;/
