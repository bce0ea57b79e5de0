# SPDX-License-Identifier: MIT
# redlock/redlock.c: R9: adopting releases the lock that was held before
s/needs_release = .*!rdl_is_same.*;/needs_release = 0;/
