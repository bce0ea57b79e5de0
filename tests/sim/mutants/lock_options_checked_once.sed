# SPDX-License-Identifier: MIT
# lock/lock.c: R22: an acquire checks the options again, which may have changed
/^int rdl_lock_acquire_begin/,/^}/s/int rc = rdl_options_check\(l->opt, l->name_len\);/int rc = RDL_OK;/
