# SPDX-License-Identifier: MIT
# redlock/redlock.c: R22: an acquire checks the options again, which may have changed
/^int rdl_redlock_acquire_begin/,/^}/s/int rc = check\(r\);/int rc = RDL_OK;/
