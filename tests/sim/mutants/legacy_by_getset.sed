# SPDX-License-Identifier: MIT
# lock/lock_legacy.c: R35: losers never write: they compare and set
s/return take_over\(l, TAKE_OVER, &rdl_op_replace, now_ms\);/return take_over(l, GETSET, \&rdl_op_getset, now_ms);/
