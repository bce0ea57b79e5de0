# SPDX-License-Identifier: MIT
# lock/lock.c: a release wakes a waiting client
s/!\(l->hint != NULL && l->hint->ops->fired\(l->hint\)\)/1/
