# SPDX-License-Identifier: MIT
# lock/lock.c: a release wakes the one who waits
s/!\(l->hint != NULL && l->hint->ops->fired\(l->hint\)\)/1/
