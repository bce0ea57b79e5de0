# SPDX-License-Identifier: MIT
# lock/lock.c: R22: the extend of a held lease ends after one attempt, waiting for the connection included
s/l->deadline_ms = extend_deadline\(l, now_ms\);/l->deadline_ms = l->until_ms;/
