# SPDX-License-Identifier: MIT
# lock/lock.c: R17: an extend waits for replies until half of the remaining lease is over
s/l->abort_below_ms = left_ms \/ 2;/l->abort_below_ms = left_ms;/
