# SPDX-License-Identifier: MIT
# lock/lock_legacy.c: R35: without scripts nothing is overwritten without a comparison
s/is_refused\(l\) && !rdl_conn_is_switched_off\(l->lock.conn, &rdl_op_replace\)/is_refused(l)/
