# SPDX-License-Identifier: MIT
# lock/lock.c: half of what was left is waited for the answers
s/l->abort_below_ms = left_ms \/ 2;/l->abort_below_ms = left_ms;/
