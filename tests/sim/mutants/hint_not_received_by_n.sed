# SPDX-License-Identifier: MIT
# redlock/redlock.c: a release wakes the one who waits
s/!\(r->hint != NULL && r->hint->ops->fired\(r->hint\)\)/1/
