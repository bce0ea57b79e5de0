# SPDX-License-Identifier: MIT
# redlock/redlock.c: R32: a release wakes a waiting client
s/\(r->hint == NULL \|\| !r->hint->ops->fired\(r->hint, now_ms\)\)/1/
