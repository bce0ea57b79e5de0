# SPDX-License-Identifier: MIT
# redlock/redlock_acquire.c: R1: a majority after the validity reports RDL_EXPIRED
/^static int granted/,/^}/s/now_ms >= rdl_redlock_validity_end\(r\)/now_ms == 0/
