# SPDX-License-Identifier: MIT
# lock/lock.c: R32: a release wakes a waiting client
s/\(l->hint == NULL \|\| !l->hint->ops->fired\(l->hint, now_ms\)\)/1/
